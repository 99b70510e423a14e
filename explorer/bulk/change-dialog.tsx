import type { TargetedSubmitEvent } from 'preact'
import { useState } from 'preact/hooks'
import { describeFailure } from '../api.ts'
import { readKnownTraits } from '../filters/telling.ts'
import { plural } from '../format.ts'
import { focusUnreadable, keepFocus } from '../numbers/read-input.tsx'
import { Button } from '../ui/button.tsx'
import { Cancel } from '../ui/confirm.tsx'
import { Dialog, Problems } from '../ui/dialog.tsx'
import { MessageField } from '../ui/inputs.tsx'
import { useBusy } from '../ui/use-busy.ts'
import { useRead } from '../ui/use-read.ts'
import { ChangeRow } from './change-row.tsx'
import { Examples } from './examples.tsx'
import { findProblem, findTrait, firstValue, isNew, isTrait, type Row, toChange } from './rows.ts'
import { type BulkResult, changeMany, type Target } from './write.ts'

interface Props {
  target: Target
  /** The number of templates. */
  number: number
  onClose: () => void
  onDone: (outcome: BulkResult) => void
}

const nothingChanged = 'Nothing was changed.'

let lastKey = 0
const newRow = (): Row => ({ key: ++lastKey, what: 'set', name: '', value: firstValue('set') })

/** The dialog that changes many templates. It shows the effect on some of them first. */
export function ChangeDialog({ target, number, onClose, onDone }: Props) {
  const [rows, setRows] = useState<Row[]>([newRow()])
  const [message, setMessage] = useState('')
  const [problems, setProblems] = useState<string[]>([])
  const [isBusy, runOnce] = useBusy()
  // After a failure, the user can still type the names of traits.
  const { data: known, hasFailed } = useRead(readKnownTraits, [])
  const facets = known ?? []
  // The field of the last name may not have been left.
  const named = rows.map(row => ({ ...row, name: findTrait(row.name, facets) }))
  const submit = (event: TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    const problem = focusUnreadable(event.currentTarget)
      ? 'Correct or confirm the value.'
      : findProblem(named)
    if (problem) setProblems([problem, nothingChanged])
    else runOnce(change)
  }
  const change = async () => {
    try {
      const outcome = await changeMany(target, toChange(named), message)
      if (outcome.problems.length === 0) onDone(outcome)
      else setProblems([...outcome.problems, nothingChanged])
    } catch (error) {
      setProblems([describeFailure(error)])
    }
  }
  const title = `Change ${plural(number, 'template')}`
  const isTyped = message !== '' || rows.length > 1 || !isNew(rows[0])
  return (
    <Dialog
      title={title}
      class="bulk-dialog"
      onCancel={event => {
        if (!isTyped && !isBusy) return
        event.preventDefault()
        event.currentTarget.querySelector<HTMLElement>('.cancel')?.click()
      }}
      onClose={onClose}
    >
      <form class="stack" noValidate onSubmit={submit}>
        {rows.map((row, index) => (
          <ChangeRow
            key={row.key}
            row={row}
            index={index}
            facets={facets}
            onChange={change => setRows(rows.map(each => (each === row ? { ...row, ...change } : each)))}
            {...(rows.length > 1 && { onRemove: () => setRows(rows.filter(each => each !== row)) })}
          />
        ))}
        <datalist id="bulk-traits">
          {facets.map(({ type }) => (
            <option key={type} value={type} />
          ))}
        </datalist>
        <Button look="plain" onClick={() => setRows([...rows, newRow()])}>
          Add another change
        </Button>
        <Examples target={target} rows={named.filter(({ what, name }) => name !== '' || !isTrait(what))} />
        <MessageField label="Reason, kept in each history" value={message} onChange={setMessage} />
        <Problems problems={problems} />
        <div class="buttons">
          <Button type="submit" look="primary" {...keepFocus} disabled={!known && !hasFailed} isBusy={isBusy}>
            {title}
          </Button>
          {!isBusy && <Cancel isTyped={isTyped} onCancel={onClose} />}
        </div>
      </form>
    </Dialog>
  )
}
