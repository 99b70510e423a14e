import { describeAuthor } from '../format.ts'
import { Time } from '../parts/time.tsx'
import { hrefOf } from '../route.ts'
import type { Revision } from './read.ts'

const actions = {
  CREATE: 'created',
  UPDATE: 'changed',
  DELETE: 'deleted',
  RESTORE: 'restored',
  IMPORT: 'imported'
}

interface Props {
  id: number
  revisions: Revision[]
  chosen: number
}

/** The revisions, newest first, with their times, authors and messages. */
export function Timeline({ id, revisions, chosen }: Props) {
  return (
    <ol class="timeline" aria-label="Revisions" reversed>
      {revisions.map(({ number, action, time, author, message, hash }) => (
        <li key={number}>
          <a
            href={hrefOf(['templates', id, 'history'], new URLSearchParams({ revision: String(number) }))}
            {...(number === chosen && { 'aria-current': 'true' as const })}
          >
            <strong>Revision {number}</strong>
            <span class="muted">
              <Time time={time} /> · {actions[action]}
              {author && describeAuthor(author)}
            </span>
            {message !== null && <span> “{message}”</span>}
            {hash !== null && (
              <span class="mono muted" title={hash}>
                {' '}
                {hash.slice(7, 11)}…{hash.slice(-4)}
              </span>
            )}
          </a>
        </li>
      ))}
    </ol>
  )
}
