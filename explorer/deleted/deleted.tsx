import { useEffect, useRef, useState } from 'preact/hooks'
import { mayWrite } from '../api.ts'
import { describeAuthor } from '../format.ts'
import { forgetList } from '../gallery/gallery.tsx'
import { Loading } from '../parts/loading.tsx'
import { Time } from '../parts/time.tsx'
import { TemplatePicture } from '../picture/template-picture.tsx'
import { isAborted } from '../requests.ts'
import { hrefOf } from '../route.ts'
import { Restore } from '../template/restore.tsx'
import './deleted.css'
import { type Deleted, type ReadPosition, readDeleted } from './read-deleted.ts'
import { RestoreChosen } from './restore-chosen.tsx'

/** The deleted templates, the latest first. */
export function DeletedTemplates() {
  const { found, rest, status, more } = useDeleted()
  const [chosen, setChosen] = useState<ReadonlySet<number>>(new Set())
  const [restored, setRestored] = useState<ReadonlySet<number>>(new Set())
  const finish = (ids: number[]) => {
    forgetList()
    setRestored(new Set([...restored, ...ids]))
    setChosen(chosen.difference(new Set(ids)))
  }
  const open = found.filter(({ id }) => !restored.has(id))
  useEffect(() => {
    document.title = 'Deleted templates · Templates'
  }, [])
  return (
    <>
      <h1>Deleted templates</h1>
      <p class="muted">
        {found.length === 0 && status === 'ready'
          ? rest
            ? 'None of the latest changes deleted a template.'
            : 'No template is deleted.'
          : 'Their revisions are kept, so each can be restored.'}
      </p>
      {status === 'reading' && found.length === 0 && <Loading />}
      {mayWrite() && (open.length > 1 || chosen.size > 0) && (
        <RestoreChosen open={open} chosen={chosen} onChoose={setChosen} onRestored={finish} />
      )}
      <ul aria-busy={status === 'reading'}>
        {found.map(template => (
          <Row
            key={template.id}
            template={template}
            isRestored={restored.has(template.id)}
            isChosen={chosen.has(template.id)}
            onChoose={() => setChosen(chosen.symmetricDifference(new Set([template.id])))}
            onRestored={() => finish([template.id])}
          />
        ))}
      </ul>
      {status === 'failed' && <p class="notice warning">The deleted templates could not be read.</p>}
      {rest && status === 'ready' && (
        <button type="button" class="button" onClick={more}>
          {rest.found.length > 0 ? 'Show more' : 'Look further back'}
        </button>
      )}
      <p>
        <a href="#/">All templates</a>
      </p>
    </>
  )
}

function useDeleted() {
  const [found, setFound] = useState<Deleted[]>([])
  const [rest, setRest] = useState<ReadPosition>()
  const [status, setStatus] = useState<'reading' | 'ready' | 'failed'>('reading')
  const stop = useRef(new AbortController())
  const more = () => {
    setStatus('reading')
    readDeleted(rest, stop.current.signal)
      .then(next => {
        setFound(known => [...known, ...next.found])
        setRest(next.rest)
        setStatus('ready')
      })
      .catch(error => {
        if (!isAborted(error)) setStatus('failed')
      })
  }
  useEffect(() => {
    more()
    return () => stop.current.abort()
  }, [])
  return { found, rest, status, more }
}

interface RowProps {
  template: Deleted
  isRestored: boolean
  isChosen: boolean
  onChoose: () => void
  onRestored: () => void
}

function Row({ template, isRestored, isChosen, onChoose, onRestored }: RowProps) {
  const { id, last, name, image, author, message, time } = template
  return (
    <li class="card">
      {mayWrite() && (
        <input
          type="checkbox"
          aria-label={`Choose ${name || `template ${id}`}`}
          checked={isChosen}
          disabled={isRestored}
          onChange={onChoose}
        />
      )}
      <TemplatePicture image={image} name={name} />
      <div>
        <a href={hrefOf(['templates', id])}>{name || <em>no name</em>}</a>
        <p class="muted">
          {id} · deleted <Time time={time} />
          {author && describeAuthor(author)}
          {message !== null && ` “${message}”`}
        </p>
      </div>
      <span role="status">{isRestored && 'Restored'}</span>
      {mayWrite() && !isRestored && (
        <Restore
          id={id}
          revision={last}
          label={
            <>
              Restore<span class="hidden-visually"> {name}</span>
            </>
          }
          onRestored={onRestored}
        />
      )}
    </li>
  )
}
