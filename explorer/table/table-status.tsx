import { formatCount } from '../format.ts'
import { busy } from '../parts/use-busy.ts'
import type { Changes } from './changes.ts'
import { canUndo } from './history.ts'
import './table-status.css'

/** The maximum number of refusals that are shown. */
const maxRefused = 5

/** The line below the table: what the last action has changed, and its undo. */
export function TableStatus({ changes }: { changes: Changes }) {
  const { text, refused } = changes.notice.value
  return (
    <div class="table-status">
      <div role="status">
        {text}
        <Refusals refused={refused} />
      </div>
      {canUndo() && (
        <button
          type="button"
          class="button plain"
          {...busy(changes.isBusy.value)}
          onClick={() => changes.goBack('undo')}
        >
          Undo
        </button>
      )}
    </div>
  )
}

/** What was refused. */
export function Refusals({ refused }: { refused: string[] }) {
  if (refused.length === 0) return null
  return (
    <ul class="problem">
      {refused.slice(0, maxRefused).map(each => (
        <li key={each}>{each}.</li>
      ))}
      {refused.length > maxRefused && <li>And {formatCount(refused.length - maxRefused)} more.</li>}
    </ul>
  )
}
