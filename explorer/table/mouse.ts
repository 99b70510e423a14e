import type { Cell } from './cells.ts'
import type { Control } from './keys.ts'

/** Makes the focused cell active, however it got the focus. */
export function handleFocus(event: FocusEvent, { cells }: Control): void {
  const { cell } = findCell(event.target) ?? {}
  const active = cells.active.value
  if (cell && (cell.id !== active?.id || cell.key !== active.key)) cells.active.value = cell
}

/** The first click focuses a cell; the second click edits it. A click with Shift does not select text, as it would elsewhere. */
export function handleMouseDown(event: MouseEvent, control: Control): void {
  const found = findCell(event.target)
  if (!found || event.button !== 0 || (event.target as Element).closest('.cell-editor')) return
  if (event.shiftKey) {
    event.preventDefault()
    found.element.focus()
    return
  }
  if (document.activeElement !== found.element || (event.target as Element).closest('a, .select')) return
  event.preventDefault()
  edit(found.cell, control)
}

export function handleDoubleClick(event: MouseEvent, control: Control): void {
  const found = findCell(event.target)
  if (found && !(event.target as Element).closest('a, .select')) edit(found.cell, control)
}

/** A click in the checkbox area selects the template. Shift selects all rows since the last selected one. */
export function handleClick(event: MouseEvent, { onSelect }: Control): void {
  const found = findCell(event.target)
  if (found && (event.target as Element).closest('.select')) onSelect?.(found.cell.id, event.shiftKey)
}

function edit({ id, key }: Cell, { list, cells, columns }: Control): void {
  const item = list.entries.value.find(entry => entry.id === id)?.item
  const column = columns.find(column => column.key === key)
  const isEdited = cells.editing.value?.id === id && cells.editing.value.key === key
  if (item && column && !isEdited) cells.start(item, column)
}

function findCell(target: EventTarget | null): { element: HTMLElement; cell: Cell } | undefined {
  const element = (target as Element).closest<HTMLElement>('[data-column]')
  const row = element?.closest<HTMLElement>('[data-id]')
  if (!element || !row) return undefined
  return { element, cell: { id: Number(row.dataset.id), key: element.dataset.column ?? '' } }
}
