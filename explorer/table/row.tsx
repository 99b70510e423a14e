import type { ComponentChild } from 'preact'
import type { RowItem } from '../gallery/items.ts'
import { isSelected } from '../gallery/selection.ts'
import type { Cells, Editing } from './cells.ts'
import type { TableColumn } from './columns.ts'
import { renderContent } from './content.tsx'
import { Editor } from './editor.tsx'
import { NameContent } from './name-content.tsx'
import './row.css'

interface Props {
  item: RowItem
  /** Its number among all rows, with the header as the first; undefined if that is not known. */
  number: number | undefined
  columns: TableColumn[]
  /** The key of the cell that has the focus, or gets it with the Tab key. */
  activeKey: string | undefined
  editing: Editing | undefined
  cells: Cells
  isSelectable: boolean
  /** Whether the screen is narrow. */
  isNarrow: boolean
}

/**
 * A template in the table. Its cells are no components, and the table listens for their events: while one scrolls, most
 * of the time goes into making rows.
 */
export function Row({ item, number, columns, activeKey, editing, cells, isSelectable, isNarrow }: Props) {
  const render = (column: TableColumn): ComponentChild => {
    if (editing?.key === column.key) return <Editor editing={editing} cells={cells} />
    return renderContent(item, column, isNarrow)
  }
  return (
    <div
      class={editing ? 'row edited' : 'row'}
      role="row"
      data-id={item.id}
      aria-rowindex={number}
      aria-selected={isSelectable ? isSelected(item.id) : undefined}
    >
      {columns.map(column => {
        const { key, isNumber, where } = column
        const isName = key === 'name'
        const classes = [isName && 'name-cell', isNumber && 'number', editing?.key === key && 'editing']
        return (
          <div
            key={key}
            role={isName ? 'rowheader' : 'gridcell'}
            class={classes.filter(Boolean).join(' ')}
            data-column={key}
            {...(where === undefined && { 'aria-readonly': true })}
            tabIndex={key === activeKey ? 0 : -1}
          >
            {isName ? (
              <NameContent item={item} isSelectable={isSelectable} isEditing={editing?.key === key}>
                {render(column)}
              </NameContent>
            ) : (
              render(column)
            )}
          </div>
        )
      })}
    </div>
  )
}

/** Stands for a row that is not read yet. */
export function Placeholder({ columns }: { columns: TableColumn[] }) {
  return (
    <div class="row placeholder">
      {columns.map(({ key }) => (
        <div key={key} />
      ))}
    </div>
  )
}
