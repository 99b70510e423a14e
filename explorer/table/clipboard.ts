import { mayWrite } from '../api.ts'
import { isTyping } from '../ui/keys.tsx'
import { type Control, focusActive } from './keys.ts'
import { copyRange, emptyRange, pasteRange } from './range.ts'

/**
 * Listens to copy, cut, paste and undo until the returned function is called. On the document, because a browser sends
 * a paste to the body if the focus is not in a field. Without a selected text, not all browsers tell of a copy.
 */
export function listenToClipboard(control: Control): () => void {
  const { cells } = control
  const { changes } = cells
  const isInCell = () => document.activeElement?.matches('.table [data-column]') ?? false
  const copy = (isCut: boolean) => {
    const done = () => (isCut && mayWrite() ? emptyRange(control) : undefined)
    navigator.clipboard
      .writeText(copyRange(control))
      .then(done, () => changes.say('The browser refused to copy.'))
  }
  const press = (event: KeyboardEvent) => {
    if (!(event.ctrlKey || event.metaKey) || event.altKey || isTyping(event.target)) return
    const key = event.key.toLowerCase()
    const isRedo = key === 'y' || (key === 'z' && event.shiftKey)
    if ((key === 'z' || key === 'y') && !document.querySelector('dialog[open]'))
      changes.revertOrRedo(isRedo ? 'redo' : 'undo')
    else if ((key === 'c' || key === 'x') && !event.shiftKey && isInCell()) copy(key === 'x')
    else return
    event.preventDefault()
  }
  const paste = (event: ClipboardEvent) => {
    if (!event.clipboardData) return
    const text = event.clipboardData.getData('text/plain')
    if (hasCells(text, event.target)) {
      // The text replaces what was typed.
      cells.cancel()
      focusActive(cells)
    } else if (!isInCell()) return
    event.preventDefault()
    pasteRange(control, text)
  }
  document.addEventListener('keydown', press)
  document.addEventListener('paste', paste)
  return () => {
    document.removeEventListener('keydown', press)
    document.removeEventListener('paste', paste)
  }
}

/** Whether a text that is pasted into an open editor has several cells. A long text and a list may have lines. */
function hasCells(text: string, field: EventTarget | null): boolean {
  if (!(field instanceof HTMLElement) || !field.closest('.cell-editor')) return false
  const separators = field.matches('textarea') ? /\t/ : /[\t\r\n]/
  return separators.test(text.replace(/\r?\n$/, ''))
}
