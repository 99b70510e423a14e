import { useEffect, useRef, useState } from 'preact/hooks'
import { mayWrite } from '../api.ts'
import { isAborted } from '../asking.ts'
import { Face } from '../face/face.tsx'
import { forgetList } from '../gallery/gallery.tsx'
import { Time } from '../parts/time.tsx'
import { hrefOf } from '../place.ts'
import { Restore } from '../template/restore.tsx'
import './deleted.css'
import { type Deleted, type Reading, readDeleted } from './read-deleted.ts'

/** The deleted templates, the latest first. */
export function DeletedTemplates() {
  const { found, rest, state, more } = useDeleted()
  useEffect(() => {
    document.title = 'Deleted templates · Templates'
  }, [])
  return (
    <main id="main" class="deleted" tabIndex={-1} aria-busy={state === 'reading'}>
      <h1>Deleted templates</h1>
      <p class="muted">
        {found.length === 0 && state === 'ready'
          ? rest
            ? 'None of the latest changes deleted a template.'
            : 'No template is deleted.'
          : 'Their revisions are kept, so each can be restored.'}
      </p>
      <ul>
        {found.map(template => (
          <Row key={template.id} template={template} />
        ))}
      </ul>
      {state === 'failed' && <p class="notice warning">The deleted templates could not be read.</p>}
      {rest && state === 'ready' && (
        <button type="button" class="button" onClick={more}>
          {rest.found.length > 0 ? 'Show more' : 'Look further back'}
        </button>
      )}
      <p>
        <a href="#/">All templates</a>
      </p>
    </main>
  )
}

function useDeleted() {
  const [found, setFound] = useState<Deleted[]>([])
  const [rest, setRest] = useState<Reading>()
  const [state, setState] = useState<'reading' | 'ready' | 'failed'>('reading')
  const stop = useRef(new AbortController())
  const more = () => {
    setState('reading')
    readDeleted(rest, stop.current.signal)
      .then(next => {
        setFound(known => [...known, ...next.found])
        setRest(next.rest)
        setState('ready')
      })
      .catch(error => {
        if (!isAborted(error)) setState('failed')
      })
  }
  useEffect(() => {
    more()
    return () => stop.current.abort()
  }, [])
  return { found, rest, state, more }
}

function Row({ template }: { template: Deleted }) {
  const { id, last, name, image, author, message, time } = template
  const [isRestored, setRestored] = useState(false)
  const restored = () => {
    forgetList()
    setRestored(true)
  }
  return (
    <li class="card">
      <Face image={image} name={name} />
      <div>
        <a href={hrefOf(['templates', id])}>{name || <em>no name</em>}</a>
        <p class="muted">
          {id} · deleted <Time time={time} />
          {author && ` by ${author.name}`}
          {author && author.name !== author.clientName && ` with ${author.clientName}`}
          {message !== null && ` “${message}”`}
        </p>
      </div>
      <span role="status">{isRestored && 'Restored'}</span>
      {mayWrite() && !isRestored && (
        <Restore
          id={id}
          revision={last}
          opener={
            <>
              Restore<span class="hidden-visually"> {name}</span>
            </>
          }
          onRestored={restored}
        />
      )}
    </li>
  )
}
