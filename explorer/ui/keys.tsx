import { useEffect, useState } from 'preact/hooks'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'

const keys: [key: string, what: string][] = [
  ['/', 'Search; then ↓ goes to the templates'],
  ['← → ↑ ↓', 'Move through the templates'],
  ['Enter', 'Open the template; in the table, edit the cell'],
  ['A letter', 'In the table, replace the value of the cell'],
  ['Delete', 'Empty the selected cells of the table'],
  ['Shift ← → ↑ ↓', 'Select cells of the table'],
  ['Ctrl C, Ctrl V', 'Copy cells; paste from a spreadsheet'],
  ['Ctrl D', 'Fill the selected cells with the first row'],
  ['Ctrl Z, Ctrl Y', 'Undo and redo changes of the table'],
  ['Ctrl Enter', 'Open the template from the table; save the form'],
  ['Space', 'Select the row of the table'],
  ['Home, End', 'Go to the first and the last row of the table'],
  ['Esc', 'Go back to the templates; leave the table or the form; go to the bar of selected templates'],
  ['E', 'Edit the template'],
  ['?', 'List the keys']
]

/** The keys that work on every page, and their list. */
export function Keys() {
  const [isOpen, setOpen] = useState(false)
  const close = () => setOpen(false)
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return
      if (event.key === '/') {
        event.preventDefault()
        document.querySelector<HTMLInputElement>('#search')?.select()
      } else if (event.key === '?') setOpen(true)
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [])
  if (!isOpen) return null
  return (
    <Dialog title="Keys" class="keys" onClose={close}>
      <dl class="facts-list">
        {keys.map(([key, what]) => [
          <dt key={key}>
            <kbd>{key}</kbd>
          </dt>,
          <dd key={what}>{what}</dd>
        ])}
      </dl>
      <Button onClick={close}>Close</Button>
    </Dialog>
  )
}

/** Whether a key event is input into a field. */
export const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  target.matches('input:not([type=file]), textarea, select, [contenteditable]')
