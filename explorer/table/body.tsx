import type { VNode } from 'preact'
import type { RowItem } from '../gallery/items.ts'
import type { List } from '../gallery/list.ts'
import type { Cells } from './cells.ts'
import type { TableColumn } from './columns.tsx'
import { findRange } from './range.ts'
import { Placeholder, Row } from './row.tsx'
import { listUnsaved } from './unsaved.ts'
import { type Rows, rowHeight } from './use-rows.ts'

/** Placeholder rows for the page that is being read. */
const placeholders = 12

interface Props {
  list: List<RowItem>
  /** The rows around the screen. The row with the focus stays rendered wherever it is. */
  rows: Rows
  columns: TableColumn[]
  cells: Cells
  isSelectable: boolean
}

/** The rows around the screen, with empty space instead of the others. */
export function Body({ list, rows, columns, cells, isSelectable }: Props) {
  const entries = list.entries.value
  const isWaiting = list.hasNext.value && !list.hasFailed
  const known = entries.length + (isWaiting ? placeholders : 0)
  const first = Math.min(rows.first, known)
  const last = Math.min(rows.last, known)
  const offset = list.offset
  const body: VNode[] = []
  const focus = cells.active.value
  const edited = cells.editing.value
  const unsaved = Map.groupBy(listUnsaved(), ({ id }) => id)
  const range = cells.anchor.value && findRange({ list, cells, columns })
  const add = (begin: number, end: number) => {
    for (let index = begin; index < end; index++) {
      const { id, item } = entries[index] ?? {}
      body.push(
        item ? (
          <Row
            key={id}
            item={item}
            number={offset === undefined ? undefined : offset + index + 2}
            activeKey={focus?.id === id ? focus?.key : undefined}
            editing={edited?.id === id ? edited : undefined}
            unsaved={unsaved.get(item.id)}
            range={range && index >= range.top && index <= range.bottom ? range : undefined}
            {...{ columns, cells, isSelectable, isNarrow: rows.isNarrow }}
          />
        ) : (
          <Placeholder key={id ?? `reading ${index}`} columns={columns} />
        )
      )
    }
  }
  const leave = (name: string, count: number) => {
    if (count > 0) body.push(<Space key={name} rows={count} />)
  }
  const { active } = rows
  const isBefore = active >= 0 && active < first
  const isAfter = active >= last && active < entries.length
  leave('space before', isBefore ? active : first)
  if (isBefore) add(active, active + 1)
  leave('space', isBefore ? first - active - 1 : 0)
  add(first, last)
  leave('space after', (isAfter ? active : known) - last)
  if (isAfter) add(active, active + 1)
  leave('space at the end', isAfter ? known - active - 1 : 0)
  return <div role="rowgroup">{body}</div>
}

function Space({ rows }: { rows: number }) {
  return <div style={{ height: `${rows * rowHeight}px` }} />
}
