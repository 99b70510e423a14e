import { useEffect, useRef } from 'preact/hooks'
import './dialog.css'
import './keys.css'

const keys: [key: string, what: string][] = [
  ['/', 'Search'],
  ['← → ↑ ↓', 'Move through the templates'],
  ['Enter', 'Open the template; in the table, edit the cell'],
  ['A letter', 'In the table, replace the value of the cell'],
  ['Delete', 'Empty the selected cells of the table'],
  ['Shift ← → ↑ ↓', 'Select cells of the table'],
  ['Ctrl C, Ctrl V', 'Copy cells; paste from a spreadsheet'],
  ['Ctrl D', 'Fill the selected cells with the first row'],
  ['Ctrl Z, Ctrl Y', 'Undo and redo changes of the table'],
  ['Ctrl Enter', 'Open the template from the table'],
  ['Space', 'Select the row of the table'],
  ['Home, End', 'Go to the first and the last row of the table'],
  ['Esc', 'Go back to the templates; leave the table'],
  ['E', 'Edit the template'],
  ['?', 'List the keys']
]

/** The keys that work on every page, and their list. */
export function Keys() {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return
      if (event.key === '/') {
        event.preventDefault()
        document.querySelector<HTMLInputElement>('#search')?.select()
      } else if (event.key === '?') dialog.current?.showModal()
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [])
  return (
    <dialog ref={dialog} class="dialog keys" aria-labelledby="keys-title">
      <h1 id="keys-title">Keys</h1>
      <dl>
        {keys.map(([key, what]) => [
          <dt key={key}>
            <kbd>{key}</kbd>
          </dt>,
          <dd key={what}>{what}</dd>
        ])}
      </dl>
      <form method="dialog">
        <button type="submit" class="button">
          Close
        </button>
      </form>
    </dialog>
  )
}

/** Whether a key event is input into a field. */
export const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  target.matches('input:not([type=file]), textarea, select, [contenteditable]')
