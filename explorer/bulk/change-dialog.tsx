import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { refusalOf } from '../api.ts'
import { MessageField } from '../edit/message-field.tsx'
import { readTraits } from '../filters/counts.ts'
import { plural } from '../format.ts'
import { ChangeRow } from './change-row.tsx'
import { Examples } from './examples.tsx'
import { findProblem, findTrait, firstValue, isTrait, type Row, toChange } from './rows.ts'
import { changeMany, type Outcome, type Target } from './write.ts'

interface Props {
  target: Target
  /** The number of templates. */
  number: number
  onClose: () => void
  onDone: (outcome: Outcome) => void
}

let lastKey = 0
const newRow = (): Row => ({ key: ++lastKey, what: 'set', name: '', value: firstValue('set') })

/** The dialog that changes many templates. It shows the effect on some of them first. */
export function ChangeDialog({ target, number, onClose, onDone }: Props) {
  const dialog = useRef<HTMLDialogElement>(null)
  const title = useId()
  const [rows, setRows] = useState<Row[]>([newRow()])
  const [message, setMessage] = useState('')
  const [problems, setProblems] = useState<string[]>([])
  const [isBusy, setBusy] = useState(false)
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
  const submit = async (event: Event) => {
    event.preventDefault()
    const problem = findProblem(rows)
    if (problem) return setProblems([problem])
    setBusy(true)
    try {
      const outcome = await changeMany(target, toChange(rows), message)
      setProblems(outcome.problems)
      if (outcome.problems.length === 0) onDone(outcome)
    } catch (error) {
      setProblems([
        refusalOf(error) ?? 'The service did not answer. Look at the templates before you try again.'
      ])
    } finally {
      setBusy(false)
    }
  }
  return (
    <dialog ref={dialog} class="dialog bulk-dialog" aria-labelledby={title} onClose={onClose}>
      <form onSubmit={submit}>
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
        <MessageField label="Why, kept in the history of each" value={message} onChange={setMessage} />
        {problems.length > 0 && (
          <div class="notice warning" role="alert">
            {problems.map(problem => (
              <p key={problem}>{problem}</p>
            ))}
            <p>Nothing was changed.</p>
          </div>
        )}
        <div class="buttons">
          <button type="submit" class="button primary" disabled={isBusy}>
            {isBusy ? 'Changing…' : `Change ${plural(number, 'template')}`}
          </button>
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
        </div>
      </form>
    </dialog>
  )
}
