import { useEffect, useState } from 'preact/hooks'
import { describeFailure, mayPublish, mayWrite } from '../api.ts'
import { forgetTelling } from '../filters/telling.ts'
import { formatCount, formatLocalTime, limit, plural } from '../format.ts'
import { forgetList } from '../gallery/gallery.tsx'
import { read } from '../requests.ts'
import { Confirm } from '../ui/confirm.tsx'
import { Failure } from '../ui/reading.tsx'
import { useRead } from '../ui/use-read.ts'
import { type BulkChange, describeBulkChange } from './read-bulk-change.ts'
import { planUndo, type Undone, type UndoPlan, undoBulkChange } from './undo.ts'

/** What an undo has done. */
export interface UndoResult {
  sentences: string[]
  /** Whether nothing is left to undo. */
  isComplete: boolean
}

interface Props {
  bulkChange: BulkChange
  /** The result of the undo, if it is the last that this page has done. */
  result: UndoResult | undefined
  onUndone: (result: UndoResult) => void
}

/**
 * Undoes a bulk change after a confirmation. The button stays when that is done, so that it keeps the focus.
 */
export function UndoButton({ bulkChange, result, onUndone }: Props) {
  const [progress, setProgress] = useState('')
  const [plan, setPlan] = useState<UndoPlan>()
  const { id, count, undone, time, message } = bulkChange
  if (!mayWrite()) return null
  const title = describeBulkChange(bulkChange)
  const possible = plan ? countPossible(plan) : count
  const undo = async () => {
    const reason = `undo: ${title}, ${formatLocalTime(time)}${message === null ? '' : `: ${message}`}`
    try {
      const undone = await undoBulkChange(
        id,
        [...reason].slice(0, maxMessageLength).join(''),
        (done, total) => setProgress(`${formatCount(done)} of ${formatCount(total)}`)
      )
      forgetList()
      forgetTelling()
      const sentences = describe(undone, bulkChange, await readNames(undone))
      onUndone({ sentences, isComplete: undone.problems.length === 0 })
      return []
    } catch (error) {
      return [describeFailure(error)]
    } finally {
      setProgress('')
    }
  }
  return (
    <Confirm
      title={`Undo: ${title}?`}
      label={
        <>
          Undo<span class="hidden-visually"> {title}</span>
        </>
      }
      disabled={undone >= count || result?.isComplete === true}
      confirmLabel={plan ? `Undo ${plural(possible, 'change')}` : 'Undo'}
      isPointless={possible === 0}
      onConfirm={undo}
    >
      <div role="status">{progress ? <strong>{progress}</strong> : <Plan id={id} onPlan={setPlan} />}</div>
      <p>
        {describeUndo(bulkChange)} Templates that somebody has changed since are left alone, unless these
        changes were undone. No revision is lost
        {mayPublish() && ', and you can undo the undo'}.
      </p>
      {!mayPublish() && (
        <p>
          Only a publisher may delete new templates or change “Public”: such templates are left alone, too.
        </p>
      )}
    </Confirm>
  )
}

interface PlanProps {
  id: string
  /** Called with undefined while the plan is not known. */
  onPlan: (plan: UndoPlan | undefined) => void
}

/**
 * What an undo would do now. Without it, the undo still leaves alone what has changed. It goes while an undo runs, so
 * that it is read again after one that failed.
 */
function Plan({ id, onPlan }: PlanProps) {
  const { data, hasFailed, reread } = useRead(async stop => {
    const plan = await planUndo(id, stop)
    return { plan, names: await readNames(plan) }
  }, [])
  useEffect(() => onPlan(data?.plan), [data])
  if (hasFailed) return <Failure problem="Later changes could not be read." onRetry={reread} />
  return <strong>{data ? describePlan(data.plan, data.names) : 'Looking for later changes…'}</strong>
}

/** Characters of a message that the service accepts. */
const maxMessageLength = 1000
/** Ids in a sentence. */
const maxNamed = 10

const countPossible = ({ restorations, returned }: UndoPlan): number => restorations.length + returned.length

/** Says what an undo concerns, such as `118 of 120 can be undone; 2 were changed since: Lamp (1), Bed (2).` */
function describePlan(plan: UndoPlan, names: Names): string {
  const { changed, forbidden, undone } = plan
  const possible = countPossible(plan)
  const all = possible + changed.length + forbidden.length + undone
  const parts = [
    possible === all ? 'All can be undone' : `${formatCount(possible)} of ${formatCount(all)} can be undone`,
    ...(undone > 0
      ? [plural(undone, 'has its former state already', 'have their former state already')]
      : []),
    ...(changed.length > 0
      ? [`${plural(changed.length, 'was', 'were')} changed since: ${listNames(changed, names)}`]
      : []),
    ...(forbidden.length > 0 ? [`${formatCount(forbidden.length)} only by a publisher`] : [])
  ]
  return `${parts.join('; ')}.`
}

/** Says what an undo does to the templates that it can undo. */
function describeUndo({ action, count, created, deleted }: BulkChange): string {
  const effects = [
    created > 0 &&
      (action === 'RESTORE' ? 'Restored templates are deleted again.' : 'New templates are deleted.'),
    deleted > 0 && 'Deleted templates are restored.',
    count > created + deleted && 'Changed templates get back their former state.'
  ]
  return effects.filter(Boolean).join(' ')
}

/** Says what an undo has done. */
function describe(
  { restored, changed, forbidden, notTried, problems }: Undone,
  { count, created, deleted }: BulkChange,
  names: Names
): string[] {
  const done =
    created === count
      ? plural(restored, 'template was deleted', 'templates were deleted')
      : deleted === count
        ? plural(restored, 'template was restored', 'templates were restored')
        : `${plural(restored, 'template has its', 'templates have their')} former state again`
  const leftAlone = (ids: number[], why: string) =>
    ids.length === 0
      ? []
      : [
          `${plural(ids.length, 'template was', 'templates were')} left alone, ${why}: ${listNames(ids, names)}.`
        ]
  return [
    `Undone: ${done}.`,
    ...leftAlone(changed, 'because somebody has changed them since'),
    ...leftAlone(forbidden, 'because only a publisher may delete new templates or change “Public”'),
    ...limit(problems, maxNamed),
    ...(notTried > 0
      ? [`The undo ended early: ${plural(notTried, 'template was', 'templates were')} not tried.`]
      : [])
  ]
}

/** The names of templates by their ids. */
type Names = Map<number, string>

const listNames = (ids: number[], names: Names): string => {
  const texts = ids.slice(0, maxNamed).map(id => (names.get(id) ? `${names.get(id)} (id ${id})` : `id ${id}`))
  return texts.join(', ') + (ids.length > maxNamed ? ` and ${formatCount(ids.length - maxNamed)} more` : '')
}

const namesQuery = `query Names($where: ProductTemplateFilter, $first: Int) {
  products(first: $first, where: $where) { nodes { id name } } }`

/** Reads the names of the templates that were left alone, by their ids: those that a sentence names. */
async function readNames({ changed, forbidden }: Pick<UndoPlan, 'changed' | 'forbidden'>): Promise<Names> {
  const ids = [changed, forbidden].flatMap(ids => ids.slice(0, maxNamed))
  if (ids.length === 0) return new Map()
  const variables = { where: { id: { in: ids } }, first: ids.length }
  return read<{ products: { nodes: { id: number; name: string }[] } }>(namesQuery, variables)
    .then(({ products }) => new Map(products.nodes.map(({ id, name }) => [id, name])))
    .catch(() => new Map())
}
