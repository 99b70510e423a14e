import { mayPublish } from '../api.ts'
import { restorePossible, toProblems } from '../bulk/write.ts'
import { plural } from '../format.ts'
import { Confirm } from '../parts/confirm.tsx'
import type { Deleted } from './read-deleted.ts'

interface Props {
  /** The templates that are listed and not restored yet. */
  open: Deleted[]
  chosen: ReadonlySet<number>
  onChoose: (ids: ReadonlySet<number>) => void
  onRestored: (ids: number[]) => void
}

/** Restores the chosen templates, but for those that the service refuses. */
export function RestoreChosen({ open, chosen, onChoose, onRestored }: Props) {
  const all = new Set(open.map(({ id }) => id))
  const restore = async () => {
    const input = open
      .filter(({ id }) => chosen.has(id))
      .map(({ id, last }) => ({ id, revision: last, expectedRevision: last + 1 }))
    const { written, errors } = await restorePossible(input, {})
    if (written.length > 0) onRestored(written.map(({ id }) => id))
    if (errors.length === 0) return []
    const restored =
      written.length > 0 ? `Restored: ${plural(written.length, 'template')}.` : 'Nothing was restored.'
    return [restored, ...toProblems(errors)]
  }
  const templates = plural(chosen.size, 'template')
  return (
    <div class="choice">
      <label>
        <input
          type="checkbox"
          checked={chosen.size === all.size}
          onChange={event => onChoose(event.currentTarget.checked ? all : new Set())}
        />{' '}
        All {plural(all.size, 'template')} in this list
      </label>
      <Confirm
        title={`Restore ${templates}?`}
        label={`Restore ${templates}`}
        confirmLabel={`Restore ${templates}`}
        disabled={chosen.size === 0}
        onConfirm={restore}
      >
        Each gets the contents that it had before its deletion, as a new revision.
        {mayPublish() && ' You can undo this under “Imports and bulk changes”.'}
      </Confirm>
    </div>
  )
}
