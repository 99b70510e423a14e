import type { Cell } from './cells.ts'
import type { Control } from './keys.ts'

/** Makes the focused cell active, however it got the focus. */
export function handleFocus(event: FocusEvent, { cells }: Control): void {
  const { cell } = findCell(event.target) ?? {}
  const active = cells.active.value
  if (cell && (cell.id !== active?.id || cell.key !== active.key)) cells.activate(cell)
}

/** The cell that was pressed while it had the focus. A click on it edits it. */
let pressed: HTMLElement | undefined
let isDragging = false

/** A press focuses a cell; with Shift, the range ends there. Dragging extends the range. */
export function handleMouseDown(event: MouseEvent, { cells }: Control): void {
  const found = findCell(event.target)
  const target = event.target as Element
  pressed = undefined
  isDragging = false
  if (!found || event.button !== 0 || target.closest('.cell-editor')) return
  if (event.shiftKey) {
    event.preventDefault()
    if (!target.closest('.select')) cells.activate(found.cell, true)
    found.element.focus()
  } else if (!target.closest('a, .select')) {
    isDragging = true
    if (document.activeElement === found.element) pressed = found.element
    if (cells.anchor.value) cells.activate(found.cell)
  }
}

export function handleMouseMove(event: MouseEvent, { cells }: Control): void {
  const found = findCell(event.target)
  const { id, key } = cells.active.value ?? {}
  if (event.buttons !== 1 || !isDragging || !found || cells.editing.value) return
  if (found.cell.id === id && found.cell.key === key) return
  pressed = undefined
  cells.activate(found.cell, true)
  found.element.focus({ preventScroll: true })
}

export function handleDoubleClick(event: MouseEvent, control: Control): void {
  const found = findCell(event.target)
  if (found && !(event.target as Element).closest('a, .select')) edit(found.cell, control)
}

/**
 * A click in the checkbox area selects the template. Shift selects all rows since the last selected one. The second
 * click on a cell edits it.
 */
export function handleClick(event: MouseEvent, control: Control): void {
  const found = findCell(event.target)
  if (found && (event.target as Element).closest('.select')) control.onSelect?.(found.cell.id, event.shiftKey)
  else if (found && found.element === pressed) edit(found.cell, control)
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
