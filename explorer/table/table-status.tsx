import { formatCount, limit } from '../format.ts'
import type { RowItem } from '../gallery/items.ts'
import type { List } from '../gallery/list.ts'
import { hrefOf } from '../route.ts'
import { Button } from '../ui/button.tsx'
import { type Changes, describeCells } from './changes.ts'
import { canGoBack, type Direction } from './history.ts'
import './table.css'
import { forgetUnsaved, listUnsaved } from './unsaved.ts'

/** The maximum number of refusals that are shown. */
const maxRefused = 5

/** The line below the table: what the last action has changed, and its undo. */
export function TableStatus({ list, changes }: { list: List<RowItem>; changes: Changes }) {
  const { text, refused } = changes.notice.value
  return (
    <div
      class="table-status"
      role="group"
      aria-label="Last change"
      tabIndex={-1}
      onKeyDown={event => event.key === 'Escape' && document.querySelector<HTMLElement>('main')?.focus()}
    >
      <div role="status">
        {text}
        <Refusals refused={refused} />
        <NotSaved list={list} />
      </div>
      {(canGoBack('undo') || canGoBack('redo')) && (
        <>
          <Step label="Undo" direction="undo" changes={changes} />
          <Step label="Redo" direction="redo" changes={changes} />
        </>
      )}
    </div>
  )
}

/** The button of a direction. Without a step it stays, because it may have the focus. */
function Step({ label, direction, changes }: { label: string; direction: Direction; changes: Changes }) {
  const isBusy = changes.isBusy.value
  return (
    <Button
      look="plain"
      isBusy={isBusy && canGoBack(direction)}
      aria-disabled={isBusy || !canGoBack(direction)}
      onClick={() => changes.revertOrRedo(direction)}
    >
      {label}
    </Button>
  )
}

/** The edits of listed templates that could not be saved. */
function NotSaved({ list }: { list: List<RowItem> }) {
  const refused = listUnsaved().filter(({ isSaving }) => !isSaving)
  if (refused.length === 0) return null
  const listed = new Set(list.entries.value.map(({ id }) => id))
  const shown = refused.filter(({ id }) => listed.has(id))
  if (shown.length === 0) return null
  return (
    <>
      <p class="problem">
        Not saved. The cells keep what you typed: Enter edits it again, Escape then gives it up.
      </p>
      <ul class="problem">
        {shown.slice(0, maxRefused).map(edit => (
          <li key={`${edit.id} ${edit.key}`}>
            {describeCells([edit])}: {edit.problems.join('; ').replace(/\.$/, '')}.{' '}
            {edit.isConflict && (
              <a
                href={hrefOf(['templates', edit.id, 'edit'], new URLSearchParams({ compare: '' }))}
                onClick={() => forgetUnsaved(edit)}
              >
                Compare
              </a>
            )}
          </li>
        ))}
        {shown.length > maxRefused && <li>And {formatCount(shown.length - maxRefused)} more.</li>}
      </ul>
    </>
  )
}

/** What was refused. */
export function Refusals({ refused }: { refused: string[] }) {
  if (refused.length === 0) return null
  return (
    <ul class="problem">
      {limit(refused, maxRefused).map(each => (
        <li key={each}>{each.replace(/\.?$/, '.')}</li>
      ))}
    </ul>
  )
}
