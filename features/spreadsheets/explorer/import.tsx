import { useRef, useState } from 'preact/hooks'
import { storesPictures } from '../../../explorer/additions.ts'
import { mayPublish, mayWrite } from '../../../explorer/api.ts'
import { forgetTelling } from '../../../explorer/filters/telling.ts'
import { formatCount, plural } from '../../../explorer/format.ts'
import { forgetList } from '../../../explorer/gallery/gallery.tsx'
import { offerPictures } from '../../../explorer/picture/missing-pictures.tsx'
import { hrefOf } from '../../../explorer/route.ts'
import { Button } from '../../../explorer/ui/button.tsx'
import { Lazy } from '../../../explorer/ui/lazy.tsx'
import { Loading } from '../../../explorer/ui/reading.tsx'
import { useTitle } from '../../../explorer/ui/use-title.ts'
import { DropArea } from './file/drop-area.tsx'
import { type Pictures, sortFiles } from './pictures/chosen-pictures.ts'
import './import.css'
import { EncodingSelect } from './file/encoding-select.tsx'
import type { Choice } from './file/open-file.ts'
import { type Opened, openImport } from './file/opened.ts'
import { OpenedFile, type Result } from './opened-file.tsx'
import { SaveRows } from './rows/save-rows.tsx'

const loadDialog = () =>
  import('../../../explorer/picture/fetch-dialog.tsx').then(({ FetchDialog }) => FetchDialog)

/** The import page. It shows the effect of a file before it imports it. */
export function Import() {
  const [opened, setOpened] = useState<Opened>()
  const [isOpening, setOpening] = useState(false)
  const [problem, setProblem] = useState('')
  const [result, setResult] = useState<Result>()
  const [pictures, setPictures] = useState<Pictures>(new Map())
  const file = useRef<File>(undefined)
  const choice = useRef<Choice>({})
  useTitle('Import')
  const open = async (chosen: File, given: Choice = {}) => {
    file.current = chosen
    choice.current = given
    setProblem('')
    setResult(undefined)
    setOpened(undefined)
    setOpening(true)
    try {
      setOpened(await openImport(chosen, choice.current))
    } catch (error) {
      setProblem(`${chosen.name}: ${(error as Error).message}`)
    } finally {
      setOpening(false)
    }
  }
  const take = (files: File[]) => {
    const { table, ...chosen } = storesPictures ? sortFiles(files, pictures) : { table: files[0], pictures }
    setPictures(chosen.pictures)
    if (table) return open(table)
    return opened ? undefined : setProblem('Choose the table that names these pictures, too.')
  }
  return (
    <>
      <h1>
        Import {opened && file.current?.name}{' '}
        {opened && <small class="muted">{plural(opened.size, 'row')}</small>}
      </h1>
      <div role="status">
        {problem !== '' && <p class="notice warning">{problem}</p>}
        {result && <ImportResult result={result} />}
      </div>
      <DropArea small={opened !== undefined} onFiles={take} />
      {isOpening && <Loading />}
      {file.current && (opened || problem !== '') && (
        <EncodingSelect
          file={file.current}
          chosen={choice.current.encoding}
          contents={opened?.contents}
          onChoose={encoding => open(file.current as File, { ...choice.current, encoding })}
        />
      )}
      {opened && (
        <OpenedFile
          key={opened}
          opened={opened}
          fileName={file.current?.name ?? ''}
          mayImport={mayWrite()}
          pictures={storesPictures ? pictures : undefined}
          onFiles={take}
          onRead={given => open(file.current as File, { ...choice.current, ...given })}
          onDone={done => {
            forgetList()
            forgetTelling()
            offerPictures()
            setOpened(undefined)
            setResult(done)
          }}
        />
      )}
    </>
  )
}

/** The result of an import, with a link to publish the new templates. */
function ImportResult({ result }: { result: Result }) {
  const { bulkChange, created, replaced, hidden, linked, skipped, name, writeSkipped, writeCorrected } =
    result
  const [isFetching, setFetching] = useState(false)
  return (
    <div class="notice">
      <p>
        {plural(created, 'template')} created, {formatCount(replaced)} changed
        {skipped > 0 && `, ${plural(skipped, 'row')} skipped`}.{' '}
        <a href={hrefOf(['bulk-changes', bulkChange])}>Show or undo them</a>
      </p>
      {skipped > 0 && writeSkipped && (
        <p>
          <SaveRows label="Save the skipped rows" name={`${name}-skipped`} write={writeSkipped} /> The file
          says why each was skipped. Correct it, then import it.
        </p>
      )}
      {linked > 0 && mayPublish() && (
        <p>
          <Button onClick={() => setFetching(true)}>Fetch pictures…</Button>{' '}
          {linked === 1 ? '1 template has' : `${formatCount(linked)} templates have`} a link to a picture.
        </p>
      )}
      {isFetching && (
        <Lazy what="The dialog" load={loadDialog} props={{ where: {}, onClose: () => setFetching(false) }} />
      )}
      {writeCorrected && (
        <p>
          <SaveRows label="Save the corrected rows" name={`${name}-corrected`} write={writeCorrected} /> Your
          file does not have your corrections.
        </p>
      )}
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
