import { useEffect, useRef, useState } from 'preact/hooks'
import { mayPublish, mayWrite } from '../../../explorer/api.ts'
import { formatCount, plural } from '../../../explorer/format.ts'
import { forgetList } from '../../../explorer/gallery/gallery.tsx'
import { Loading } from '../../../explorer/parts/loading.tsx'
import { type Pictures, sortFiles } from './chosen-pictures.ts'
import { DropArea } from './drop-area.tsx'
import './import.css'
import type { Choice } from './open-file.ts'
import type { Opened } from './opened.ts'
import type { Result } from './opened-file.tsx'

type Parts = typeof import('./opened-file.tsx')
type Loaded = { opened: Opened; View: Parts['OpenedFile'] }

/** The import page. It shows the effect of a file before it imports it. */
export function Import() {
  const [loaded, setLoaded] = useState<Loaded>()
  const [isOpening, setOpening] = useState(false)
  const [problem, setProblem] = useState('')
  const [result, setResult] = useState<Result>()
  const [pictures, setPictures] = useState<Pictures>(new Map())
  const file = useRef<File>(undefined)
  const choice = useRef<Choice>({})
  const parts = useRef<Parts>(undefined)
  useEffect(() => {
    document.title = 'Import · Templates'
  }, [])
  const open = async (chosen: File, { sheet, encoding }: Choice = {}) => {
    file.current = chosen
    choice.current = { sheet, encoding }
    setProblem('')
    setResult(undefined)
    setLoaded(undefined)
    setOpening(true)
    try {
      // Loaded on demand: it is large and rarely used.
      parts.current = await import('./opened-file.tsx')
      const { openImport, OpenedFile } = parts.current
      setLoaded({ opened: await openImport(chosen, choice.current), View: OpenedFile })
    } catch (error) {
      setProblem(`${chosen.name}: ${(error as Error).message}`)
    } finally {
      setOpening(false)
    }
  }
  const take = (files: File[]) => {
    const { table, ...chosen } = sortFiles(files, pictures)
    setPictures(chosen.pictures)
    if (table) return open(table)
    return loaded ? undefined : setProblem('Choose the table that names these pictures, too.')
  }
  return (
    <main id="main" class="import" tabIndex={-1}>
      <h1>
        Import {loaded && file.current?.name}{' '}
        {loaded && <small class="muted">{plural(loaded.opened.size, 'row')}</small>}
      </h1>
      <DropArea small={loaded !== undefined} onFiles={take} />
      <div role="status">
        {problem !== '' && <p class="notice warning">{problem}</p>}
        {result && <ImportResult result={result} />}
      </div>
      {isOpening && <Loading />}
      {parts.current && file.current && (loaded || problem !== '') && (
        <parts.current.EncodingSelect
          file={file.current}
          chosen={choice.current.encoding}
          contents={loaded?.opened.contents}
          onChoose={encoding => open(file.current as File, { encoding })}
        />
      )}
      {loaded && (
        <loaded.View
          key={loaded.opened}
          opened={loaded.opened}
          fileName={file.current?.name ?? ''}
          mayImport={mayWrite()}
          pictures={pictures}
          onFiles={take}
          onSheet={sheet => open(file.current as File, { sheet })}
          onDone={done => {
            forgetList()
            setLoaded(undefined)
            setResult(done)
          }}
        />
      )}
    </main>
  )
}

/** The result of an import, with a link to publish the new templates. */
function ImportResult({ result: { created, replaced, hidden, skipped } }: { result: Result }) {
  return (
    <div class="notice">
      <p>
        {plural(created, 'template')} created, {formatCount(replaced)} changed
        {skipped > 0 && `, ${plural(skipped, 'wrong row')} skipped`}. <a href="#/">Show them</a>
      </p>
      <p>
        {formatCount(created + replaced - hidden)} public, {formatCount(hidden)} not public.{' '}
        {hidden > 0 && (
          <>
            Wallets and marketplaces read only templates that are public.{' '}
            {mayPublish() ? (
              <>
                To publish them, <a href="#/?public=no">show those that are not public</a>, select them and
                change “Public”.
              </>
            ) : (
              'Only a publisher can publish them.'
            )}
          </>
        )}
      </p>
    </div>
  )
}
