import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import { mayWrite } from '../api.ts'
import type { Criteria } from '../gallery/criteria.ts'
import type { RowItem } from '../gallery/items.ts'
import type { List } from '../gallery/list.ts'
import { beginSelection, endSelection, selection, toggle } from '../gallery/selection.ts'
import { Body } from './body.tsx'
import { Cells } from './cells.ts'
import { shownColumns } from './chosen-columns.ts'
import { listenToClipboard } from './clipboard.ts'
import { Head } from './head.tsx'
import { type Control, focusActive, handleKey } from './keys.ts'
import { handleClick, handleDoubleClick, handleFocus, handleMouseDown, handleMouseMove } from './mouse.ts'
import { Preview } from './preview.tsx'
import { TableStatus } from './table-status.tsx'
import './table.css'
import { useRows } from './use-rows.ts'

export { OpenView, TableButtons } from './buttons.tsx'

/** The horizontal scroll position. It survives a new table for another order or filter. */
let lastLeft = 0

/** The templates as a table. Only the rows on the screen and a few around it are rendered. */
export function Table({ list: found, criteria }: { list: List; criteria: Criteria }) {
  // A list in the table view reads the fields of rows.
  const list = found as List<RowItem>
  const frame = useRef<HTMLElement>(null)
  const cells = useMemo(() => new Cells(list), [list])
  const rows = useRows(list, cells, frame)
  const columns = shownColumns.value
  useLayoutEffect(() => {
    frame.current?.scrollTo({ left: lastLeft, behavior: 'instant' })
  }, [])
  const isSelectable = mayWrite()
  const widths = columns.slice(1).map(({ width }) => width)
  const number = list.hasUncounted || list.offset === undefined ? undefined : list.matches.value
  const control: Control = {
    ...{ list, cells, columns, pageLength: rows.fitting },
    onSelect: isSelectable ? (id, extend) => select(list, id, extend) : undefined
  }
  useEffect(() => listenToClipboard(control))
  // Changes that nobody can confirm any more would hold up all others.
  useEffect(() => () => cells.changes.pending.value?.cancel(), [cells])
  return (
    <>
      <section
        ref={frame}
        class="table-frame card"
        aria-label="Table of templates"
        onScroll={event => {
          lastLeft = event.currentTarget.scrollLeft
        }}
      >
        <p id="table-keys" class="hidden-visually">
          Arrow keys move, with Shift they select cells; typing or Enter edits, Space selects the row, Escape
          leaves the table.
        </p>
        <div
          role="grid"
          class="table"
          style={{
            '--widths': widths.map(width => `${width}px`).join(' '),
            '--sum': `${widths.reduce((sum, width) => sum + width, 0)}px`
          }}
          aria-label="Templates"
          aria-describedby="table-keys"
          aria-rowcount={number === undefined ? -1 : number + 1}
          aria-multiselectable={isSelectable}
          aria-readonly={!isSelectable}
          aria-busy={list.state.value === 'loading'}
          onKeyDown={event => handleKey(event, control)}
          onFocusIn={event => handleFocus(event, control)}
          onMouseMove={event => handleMouseMove(event, control)}
          onMouseDown={event => handleMouseDown(event, control)}
          onClick={event => handleClick(event, control)}
          onDblClick={event => handleDoubleClick(event, control)}
        >
          <Head list={list} criteria={criteria} columns={columns} isSelectable={isSelectable} />
          <Body {...{ list, rows, columns, cells, isSelectable }} />
        </div>
      </section>
      <TableStatus list={list} changes={cells.changes} />
      {cells.changes.pending.value && (
        <Preview pending={cells.changes.pending.value} onClosed={() => focusActive(cells)} />
      )}
    </>
  )
}

/** Selects or deselects a template. Selecting starts with the first template and ends without any. */
function select(list: List<RowItem>, id: number, extend: boolean): void {
  if (!selection.value) beginSelection()
  toggle(
    id,
    extend,
    list.entries.value.map(entry => entry.id)
  )
  if (selection.value?.ids.size === 0) endSelection()
}
