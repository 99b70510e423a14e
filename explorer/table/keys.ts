import type { TargetedKeyboardEvent } from 'preact'
import type { RowItem } from '../gallery/items.ts'
import type { List } from '../gallery/list.ts'
import { hrefOf, navigate } from '../route.ts'
import type { Cells } from './cells.ts'
import type { TableColumn } from './columns.tsx'
import { emptyRange, fillDown, findPlace, maxRows } from './range.ts'

/** The context of keyboard and mouse events. */
export interface Control {
  list: List<RowItem>
  cells: Cells
  columns: TableColumn[]
  /** The number of visible rows. */
  pageLength: number
  /** Selects a template; undefined if the user may not select. */
  onSelect: OnSelect | undefined
}

type OnSelect = (id: number, extend: boolean) => void

/** Handles a key press in the grid. */
export function handleKey(event: TargetedKeyboardEvent<HTMLElement>, control: Control): void {
  const target = event.target as HTMLElement
  if (target.closest('.cell-editor')) handleEditorKey(event, control)
  else if (target.closest('[data-column]') && (move(event, control) || runCellAction(event, control)))
    event.preventDefault()
}

/** Enter and Tab save; then Enter moves down, and Tab to the next cell. Escape cancels. */
function handleEditorKey(event: KeyboardEvent, control: Control): void {
  const { cells } = control
  // Enter may also end an IME composition. With Shift or Alt, it adds a line to a long text.
  const isEnter = event.key === 'Enter' && !event.isComposing && !event.shiftKey && !event.altKey
  if (event.key === 'Escape') {
    cells.cancel()
    focusActive(cells)
  } else if (isEnter || event.key === 'Tab') {
    event.preventDefault()
    if (!cells.commit()) return
    if (event.key === 'Tab') moveAlong(control, event.shiftKey ? -1 : 1)
    else moveBy(control, 1, 0)
    focusActive(cells)
  }
}

/** Runs the action of a key in a cell that is not edited. Returns whether there was one. */
function runCellAction(event: KeyboardEvent, control: Control): boolean {
  const { list, cells, columns, onSelect } = control
  const { id, key } = cells.active.value ?? {}
  const item = list.entries.value.find(entry => entry.id === id)?.item
  if (id === undefined || !item) return false
  const column = columns.find(column => column.key === key)
  const isEnter = event.key === 'Enter'
  if (event.key === ' ') onSelect?.(id, event.shiftKey)
  else if (isEnter && (event.ctrlKey || event.metaKey || !onSelect)) open(list, id)
  else if ((isEnter || event.key === 'F2') && column) cells.start(item, column)
  else if (event.key === 'Escape' && cells.anchor.value) cells.anchor.value = undefined
  else if (event.key === 'Escape') leaveTable()
  else if (isCommand(event) && event.key.toLowerCase() === 'd') fillDown(control)
  else if (event.key === 'Delete' || event.key === 'Backspace') emptyRange(control)
  else {
    // The browser types the letter into the editor, which replaces the value. It is there before the letter.
    if (isLetter(event) && column && onSelect) cells.start(item, column, true)
    return false
  }
  return true
}

/** Leaves the table, in which Tab goes to the next cell: to the line below if something is there, or else above. */
function leaveTable(): void {
  const isBelow = document.querySelector('.table-status :is(a, button), .bulk-bar') !== null
  document.querySelector<HTMLElement>(isBelow ? '.table-status' : 'main')?.focus()
}

const isCommand = ({ ctrlKey, metaKey, altKey }: KeyboardEvent): boolean => (ctrlKey || metaKey) && !altKey

/** Whether a key types a letter. An input method begins with `Process`; `/` and `?` are keys of the page. */
const isLetter = (event: KeyboardEvent): boolean =>
  (event.getModifierState('AltGraph') || !(event.ctrlKey || event.metaKey || event.altKey)) &&
  (/^[^/? ]$/u.test(event.key) || event.key === 'Process' || event.key === 'Dead')

/** Opens a template. Going back restores the focus on its row. */
function open(list: List<RowItem>, id: number): void {
  list.focused = id
  navigate(hrefOf(['templates', id]))
}

/** The rows and columns that each key moves by. */
const steps: Record<string, (pageLength: number) => [rows: number, columns: number]> = {
  ArrowUp: () => [-1, 0],
  ArrowDown: () => [1, 0],
  ArrowLeft: () => [0, -1],
  ArrowRight: () => [0, 1],
  PageUp: pageLength => [-pageLength, 0],
  PageDown: pageLength => [pageLength, 0]
}

/** Moves to another cell. Returns whether the key moves. */
function move(event: KeyboardEvent, control: Control): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey) return false
  if (event.key === 'Tab') return moveAlong(control, event.shiftKey ? -1 : 1)
  if (event.key === 'Home' || event.key === 'End') {
    jump(control, event.key === 'Home' ? 'start' : 'end')
    return true
  }
  const [rows, columns] = steps[event.key]?.(control.pageLength) ?? []
  if (rows === undefined || columns === undefined) return false
  moveBy(control, rows, columns, event.shiftKey)
  return true
}

function moveBy(control: Control, rows: number, columns: number, extend = false): void {
  const { row, column } = findPlace(control)
  const clamp = (at: number, length: number) => Math.max(0, Math.min(length - 1, at))
  activate(
    control,
    clamp(row + rows, control.list.entries.value.length),
    clamp(column + columns, control.columns.length),
    extend
  )
}

/** Moves to the next or previous cell, across rows. Returns false at either end, so that the focus leaves the table. */
function moveAlong(control: Control, step: 1 | -1): boolean {
  const { row, column } = findPlace(control)
  const width = control.columns.length
  const next = row * width + column + step
  if (next < 0 || next >= control.list.entries.value.length * width) return false
  activate(control, Math.floor(next / width), next % width)
  return true
}

async function jump(control: Control, to: 'start' | 'end'): Promise<void> {
  const { column } = findPlace(control)
  await control.list.jump(to)
  activate(control, to === 'start' ? 0 : control.list.entries.value.length - 1, column)
}

/** Makes a cell active. A range stays within the rows that it may have. */
function activate(control: Control, row: number, column: number, extend = false): void {
  const { list, cells, columns } = control
  const from = findPlace(control, cells.anchor.value ? 'anchor' : 'active').row
  const at = extend ? Math.max(from - maxRows + 1, Math.min(from + maxRows - 1, row)) : row
  const [id, key] = [list.entries.value[at]?.id, columns[column]?.key]
  if (id === undefined || key === undefined) return
  cells.activate({ id, key }, extend)
  focusActive(cells)
}

/**
 * Focuses the active cell, so that the next key is for it, and again after rendering, which may add it. Does nothing if
 * the user has left the table.
 */
export function focusActive({ active, editing }: Cells): void {
  const focus = () => {
    // The user has begun to type in the cell.
    if (editing.value) return
    // Another key may have moved since.
    const { id, key } = active.value ?? {}
    const { activeElement, body } = document
    if (activeElement !== body && !activeElement?.closest('.table')) return
    document.querySelector<HTMLElement>(`[data-id="${id}"] [data-column="${CSS.escape(key ?? '')}"]`)?.focus()
  }
  focus()
  requestAnimationFrame(focus)
}
