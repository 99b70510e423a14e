import type { TargetedSubmitEvent } from 'preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { describeFailure } from '../api.ts'
import { MessageField } from '../edit/message-field.tsx'
import { readTraits } from '../filters/counts.ts'
import { plural } from '../format.ts'
import { focusUnreadable, keepFocus } from '../numbers/number-input.tsx'
import { Cancel } from '../parts/cancel.tsx'
import { busy, useBusy } from '../parts/use-busy.ts'
import { ChangeRow } from './change-row.tsx'
import { Examples } from './examples.tsx'
import { findProblem, findTrait, firstValue, isNew, isTrait, type Row, toChange } from './rows.ts'
import { changeMany, type Outcome, type Target } from './write.ts'

interface Props {
  target: Target
  /** The number of templates. */
  number: number
  onClose: () => void
  onDone: (outcome: Outcome) => void
}

const nothingChanged = 'Nothing was changed.'

let lastKey = 0
const newRow = (): Row => ({ key: ++lastKey, what: 'set', name: '', value: firstValue('set') })

/** The dialog that changes many templates. It shows the effect on some of them first. */
export function ChangeDialog({ target, number, onClose, onDone }: Props) {
  const dialog = useRef<HTMLDialogElement>(null)
  const title = useId()
  const [rows, setRows] = useState<Row[]>([newRow()])
  const [message, setMessage] = useState('')
  const [problems, setProblems] = useState<string[]>([])
  const [isBusy, runOnce] = useBusy()
  const [traits, setTraits] = useState<string[]>([])
  useEffect(() => {
    dialog.current?.showModal()
    readTraits(undefined, { first: 1 })
      .then(facets => {
        const names = facets.map(({ type }) => type)
        setTraits(names)
        // Corrects names that were typed before the traits arrived.
        setRows(typed => typed.map(row => ({ ...row, name: findTrait(row.name, names) })))
      })
      // The user can still type the names of traits.
      .catch(() => {})
  }, [])
  const submit = (event: TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    // The last name may not have been left.
    const named = rows.map(row => ({ ...row, name: findTrait(row.name, traits) }))
    const problem = focusUnreadable(event.currentTarget) ? 'Correct the number.' : findProblem(named)
    if (problem) setProblems([problem, nothingChanged])
    else runOnce(() => change(named))
  }
  const change = async (named: Row[]) => {
    try {
      const outcome = await changeMany(target, toChange(named), message)
      if (outcome.problems.length === 0) onDone(outcome)
      else setProblems([...outcome.problems, nothingChanged])
    } catch (error) {
      setProblems([describeFailure(error)])
    }
  }
  const isTyped = message !== '' || rows.length > 1 || !isNew(rows[0])
  return (
    <dialog
      ref={dialog}
      class="dialog bulk-dialog"
      aria-labelledby={title}
      onCancel={event => {
        if (!isTyped && !isBusy) return
        event.preventDefault()
        event.currentTarget.querySelector<HTMLElement>('.cancel')?.click()
      }}
      onClose={onClose}
    >
      <form noValidate onSubmit={submit}>
        <h1 id={title}>Change {plural(number, 'template')}</h1>
        {rows.map((row, index) => (
          <ChangeRow
            key={row.key}
            row={row}
            index={index}
            traits={traits}
            onChange={change => setRows(rows.map(each => (each === row ? { ...row, ...change } : each)))}
            {...(rows.length > 1 && { onRemove: () => setRows(rows.filter(each => each !== row)) })}
          />
        ))}
        <datalist id="bulk-traits">
          {traits.map(trait => (
            <option key={trait} value={trait} />
          ))}
        </datalist>
        <button type="button" class="button plain more" onClick={() => setRows([...rows, newRow()])}>
          Add another change
        </button>
        <Examples target={target} rows={rows.filter(({ what, name }) => name !== '' || !isTrait(what))} />
        <MessageField label="Reason, kept in each history" value={message} onChange={setMessage} />
        {problems.length > 0 && (
          <div class="notice warning" role="alert">
            {problems.map(problem => (
              <p key={problem}>{problem}</p>
            ))}
          </div>
        )}
        <div class="buttons">
          <button type="submit" class="button primary" {...keepFocus} {...busy(isBusy)}>
            Change {plural(number, 'template')}
          </button>
          {!isBusy && <Cancel isTyped={isTyped} onCancel={onClose} />}
        </div>
      </form>
    </dialog>
  )
}
