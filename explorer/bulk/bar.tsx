import { useMemo, useState } from 'preact/hooks'
import { describeFailure, mayPublish } from '../api.ts'
import { ExportDialog } from '../export/export-dialog.tsx'
import { formatCount, plural } from '../format.ts'
import { maxCounted } from '../gallery/items.ts'
import type { List } from '../gallery/list.ts'
import { focusList } from '../gallery/scrolling.ts'
import { beginSelection, endSelection, selectAll, selection } from '../gallery/selection.ts'
import { Button } from '../ui/button.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { Problems } from '../ui/dialog.tsx'
import { ChangeDialog } from './change-dialog.tsx'
import { type BulkResult, deleteMany, type Target, undo, type WrittenRevision } from './write.ts'

/** The last bulk write, and how to undo it. */
interface Done {
  text: string
  /** The text after the undo. */
  undone: string
  written: WrittenRevision[]
}

/** The actions on the selected templates. */
export function BulkBar({ list }: { list: List }) {
  const { ids, all } = selection.value ?? { ids: new Set<number>(), all: false }
  const matching = list.matches.value ?? 0
  const number = all ? matching : ids.size
  const [done, setDone] = useState<Done>()
  const [isChanging, setChanging] = useState(false)
  const [isExporting, setExporting] = useState(false)
  const target = useMemo<Target>(
    () => (all ? { where: list.where ?? {}, expectedCount: matching } : { ids: [...ids] }),
    [all, ids, list, matching]
  )
  const finish = (text: string, undone: string, { written }: BulkResult) => {
    setChanging(false)
    beginSelection()
    setDone({ text, undone, written })
  }
  const remove = async () => {
    const outcome = await deleteMany(target)
    if (outcome.problems.length === 0) {
      const deleted = plural(outcome.written.length, 'template')
      finish(`Deleted ${deleted}.`, `Restored ${deleted}.`, outcome)
    }
    return outcome.problems
  }
  return (
    <section class="bulk-bar across card" aria-label="Selected templates" tabIndex={-1}>
      <span role="status">{done && number === 0 ? done.text : `${formatCount(number)} selected`}</span>
      {done && (
        <Undo
          key={done.text}
          done={done}
          onUndone={() => setDone({ ...done, text: done.undone, written: [] })}
        />
      )}
      {!all && matching > 0 && matching <= maxCounted && (
        <Button look="plain" onClick={selectAll}>
          Select all {formatCount(matching)}
        </Button>
      )}
      {number > 0 && (
        <>
          <Button look="primary" onClick={() => setChanging(true)}>
            Change…
          </Button>
          <Button onClick={() => setExporting(true)}>Export…</Button>
          {mayPublish() && (
            <Confirm
              title={`Delete ${plural(number, 'template')}?`}
              label="Delete…"
              look="danger"
              confirmLabel={`Delete ${plural(number, 'template')}`}
              onConfirm={remove}
            >
              Their revisions are kept, and you can undo the deletion here.
            </Confirm>
          )}
        </>
      )}
      <Button
        onClick={() => {
          endSelection()
          focusList()
        }}
      >
        Done
      </Button>
      {isExporting && <ExportDialog target={target} number={number} onClose={() => setExporting(false)} />}
      {isChanging && (
        <ChangeDialog
          target={target}
          number={number}
          onClose={() => setChanging(false)}
          onDone={outcome => finish(describeChange(number, outcome), describeUndone(outcome), outcome)}
        />
      )}
    </section>
  )
}

function describeChange(number: number, { written }: BulkResult): string {
  const unchanged = number - written.length
  const rest = unchanged > 0 ? ` ${plural(unchanged, 'other')} had these values already.` : ''
  return `Changed ${plural(written.length, 'template')}.${rest}`
}

const describeUndone = ({ written }: BulkResult): string =>
  `${plural(written.length, 'template has its', 'templates have their')} former values again.`

/** Undoes the last bulk write. The service refuses this if one of the templates has changed since. */
function Undo({ done: { written }, onUndone }: { done: Done; onUndone: () => void }) {
  const [problems, setProblems] = useState<string[]>([])
  if (written.length === 0) return null
  const run = async () => {
    const found = await undo(written).then(
      ({ problems }) => (problems.length > 0 ? [...problems, 'Nothing was undone.'] : []),
      error => [describeFailure(error)]
    )
    setProblems(found)
    if (found.length === 0) onUndone()
  }
  return (
    <>
      <Button onClick={run}>Undo</Button>
      <Problems problems={problems} look="problem" />
    </>
  )
}
