import type { TargetedKeyboardEvent } from 'preact'
import type { RowItem } from '../gallery/items.ts'
import type { List } from '../gallery/list.ts'
import { hrefOf, navigate } from '../route.ts'
import type { Cells } from './cells.ts'
import type { TableColumn } from './columns.tsx'

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

/** Enter and Tab save; Tab then moves to the next cell. Escape cancels. */
function handleEditorKey(event: KeyboardEvent, control: Control): void {
  const { cells } = control
  // Enter may also end an IME composition. With Shift or Alt, it adds a line to a long text.
  const isEnter = event.key === 'Enter' && !event.isComposing && !event.shiftKey && !event.altKey
  if (event.key === 'Escape') {
    cells.cancel()
    focusActive(cells)
  } else if (isEnter || event.key === 'Tab') {
    event.preventDefault()
    cells.commit().then(isDone => {
      if (!isDone) return
      if (event.key === 'Tab') moveAlong(control, event.shiftKey ? -1 : 1)
      focusActive(cells)
    })
  }
}

/** Runs the action of a key in a cell that is not edited. Returns whether there was one. */
function runCellAction(event: KeyboardEvent, { list, cells, columns, onSelect }: Control): boolean {
  const { id, key } = cells.active.value ?? {}
  const item = list.entries.value.find(entry => entry.id === id)?.item
  if (id === undefined || !item) return false
  const column = columns.find(column => column.key === key)
  const isEnter = event.key === 'Enter'
  if (event.key === ' ') onSelect?.(id, event.shiftKey)
  else if (isEnter && (event.ctrlKey || event.metaKey || !onSelect)) open(list, id)
  else if ((isEnter || event.key === 'F2') && column) cells.start(item, column)
  else if (event.key === 'Escape') document.querySelector<HTMLElement>('main')?.focus()
  else return false
  return true
}

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
  const { row, column } = find(control)
  const clamp = (at: number, length: number) => Math.max(0, Math.min(length - 1, at))
  activate(
    control,
    clamp(row + rows, control.list.entries.value.length),
    clamp(column + columns, control.columns.length)
  )
  return true
}

/** Moves to the next or previous cell, across rows. Returns false at either end, so that the focus leaves the table. */
function moveAlong(control: Control, step: 1 | -1): boolean {
  const { row, column } = find(control)
  const width = control.columns.length
  const next = row * width + column + step
  if (next < 0 || next >= control.list.entries.value.length * width) return false
  activate(control, Math.floor(next / width), next % width)
  return true
}

async function jump(control: Control, to: 'start' | 'end'): Promise<void> {
  const { column } = find(control)
  await control.list.jump(to)
  activate(control, to === 'start' ? 0 : control.list.entries.value.length - 1, column)
}

/** Returns the row and column of the active cell. */
function find({ list, cells, columns }: Control): { row: number; column: number } {
  const { id, key } = cells.active.value ?? {}
  const row = list.entries.value.findIndex(entry => entry.id === id)
  const column = columns.findIndex(column => column.key === key)
  return { row: Math.max(0, row), column: Math.max(0, column) }
}

function activate({ list, cells, columns }: Control, row: number, column: number): void {
  const [id, key] = [list.entries.value[row]?.id, columns[column]?.key]
  if (id === undefined || key === undefined) return
  cells.active.value = { id, key }
  focusActive(cells)
}

/** Focuses the active cell after rendering, unless the user has left the table since. */
function focusActive({ active }: Cells): void {
  const { id, key } = active.value ?? {}
  requestAnimationFrame(() => {
    const { activeElement, body } = document
    if (activeElement !== body && !activeElement?.closest('.table')) return
    document.querySelector<HTMLElement>(`[data-id="${id}"] [data-column="${CSS.escape(key ?? '')}"]`)?.focus()
  })
}
