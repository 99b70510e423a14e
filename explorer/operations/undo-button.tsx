import { useState } from 'preact/hooks'
import { describeFailure, mayPublish, mayWrite } from '../api.ts'
import { formatCount, formatLocalTime, plural } from '../format.ts'
import { forgetList } from '../gallery/gallery.tsx'
import { Confirm } from '../parts/confirm.tsx'
import { describeOperation, type Operation } from './read-operation.ts'
import { type Undone, undoOperation } from './undo.ts'

interface Props {
  operation: Operation
  /** Called with what was done, as sentences. */
  onUndone: (sentences: string[]) => void
}

/** Undoes an operation after a confirmation. */
export function UndoButton({ operation, onUndone }: Props) {
  const [progress, setProgress] = useState('')
  if (!mayWrite()) return null
  const { id, action, count, time, message } = operation
  const title = describeOperation(operation)
  const undo = async () => {
    const reason = `undo: ${title}, ${formatLocalTime(time)}${message === null ? '' : ` “${message}”`}`
    try {
      const undone = await undoOperation(id, reason.slice(0, maxMessageLength), (done, total) =>
        setProgress(`${formatCount(done)} of ${formatCount(total)}`)
      )
      forgetList()
      onUndone(describe(undone))
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
      confirmLabel={`Undo ${plural(count, 'change')}`}
      onConfirm={undo}
    >
      <p>
        Each template gets back the state before
        {action === 'IMPORT' && '; a template that did not exist is deleted'}. Templates that somebody has
        changed since are left alone. No revision is lost
        {mayPublish() && ', and you can undo the undo'}.
      </p>
      {!mayPublish() && (
        <p>
          Only a publisher may delete what was new or change “Public”: such templates are left alone, too.
        </p>
      )}
      <p role="status">{progress}</p>
    </Confirm>
  )
}

/** Characters of a message that the service accepts. */
const maxMessageLength = 1000
/** Ids in a sentence. */
const maxNamed = 10

function describe({ restored, changed, forbidden, notTried, problems }: Undone): string[] {
  const leftAlone = (ids: number[], why: string) =>
    ids.length === 0
      ? []
      : [`${plural(ids.length, 'template was', 'templates were')} left alone, ${why}: ${name(ids)}.`]
  return [
    `Undone: ${plural(restored, 'template has its', 'templates have their')} former state again.`,
    ...leftAlone(changed, 'because somebody has changed them since'),
    ...leftAlone(forbidden, 'because only a publisher may delete what was new or change “Public”'),
    ...problems.slice(0, maxNamed),
    ...(problems.length > maxNamed ? [`And ${formatCount(problems.length - maxNamed)} more problems.`] : []),
    ...(notTried > 0
      ? [`The undo ended early: ${plural(notTried, 'template was', 'templates were')} not tried.`]
      : [])
  ]
}

const name = (ids: number[]): string =>
  ids.slice(0, maxNamed).join(', ') +
  (ids.length > maxNamed ? ` and ${formatCount(ids.length - maxNamed)} more` : '')
