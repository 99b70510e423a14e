import type { ComponentChild, ComponentChildren } from 'preact'
import { mayWrite } from '../api.ts'
import type { RowItem } from '../gallery/items.ts'
import { isSelected } from '../gallery/selection.ts'
import { TemplatePicture } from '../picture/template-picture.tsx'
import { hrefOf } from '../route.ts'
import type { Cells, Editing } from './cells.ts'
import type { TableColumn } from './columns.tsx'
import { Editor } from './editor.tsx'
import type { Unsaved } from './unsaved.ts'
import { writeValue } from './values.ts'
import './row.css'

interface Props {
  item: RowItem
  /** The row number, counting the header; undefined if unknown. */
  number: number | undefined
  columns: TableColumn[]
  /** The column key of the active cell in this row. */
  activeKey: string | undefined
  editing: Editing | undefined
  /** The edits of this row that are not saved yet. */
  unsaved: Unsaved[] | undefined
  /** The selected columns, if the row is in the range. */
  range: { left: number; right: number } | undefined
  cells: Cells
  isSelectable: boolean
  isNarrow: boolean
}

/**
 * A row of the table. Its cells are not components, and the table handles their events, because rendering rows takes
 * most of the time during scrolling.
 */
export function Row({
  item,
  number,
  columns,
  activeKey,
  editing,
  unsaved,
  range,
  cells,
  isSelectable,
  isNarrow
}: Props) {
  const render = (column: TableColumn): ComponentChild => {
    if (editing?.key === column.key) return <Editor editing={editing} cells={cells} />
    const edit = unsaved?.find(({ key }) => key === column.key)
    if (edit) return writeValue(edit.value, column) || none
    return column.show(item, isNarrow) || none
  }
  return (
    <div
      class={editing ? 'row edited' : 'row'}
      role="row"
      data-id={item.id}
      aria-rowindex={number}
      aria-selected={isSelectable ? isSelected(item.id) : undefined}
    >
      {columns.map((column, index) => {
        const { key, isNumber, where } = column
        const isName = key === 'name'
        const edit = editing?.key === key ? undefined : unsaved?.find(edit => edit.key === key)
        const isInRange = range !== undefined && index >= range.left && index <= range.right
        const classes = [
          isName && 'name-cell',
          isNumber && 'number',
          editing?.key === key && 'editing',
          edit && (edit.isSaving ? 'saving' : 'not-saved'),
          isInRange && 'in-range'
        ]
        return (
          <div
            key={key}
            role={isName ? 'rowheader' : 'gridcell'}
            class={classes.filter(Boolean).join(' ')}
            data-column={key}
            {...(where === undefined && { 'aria-readonly': true })}
            {...(edit && (edit.isSaving ? { 'aria-busy': true } : { 'aria-invalid': true }))}
            {...(isInRange && { 'aria-selected': true })}
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

const none = <span class="muted">–</span>

/** A row that is not read yet. */
export function Placeholder({ columns }: { columns: TableColumn[] }) {
  return (
    <div class="row placeholder">
      {columns.map(({ key }) => (
        <div key={key} />
      ))}
    </div>
  )
}

interface NameProps {
  item: RowItem
  isSelectable: boolean
  isEditing: boolean
  /** The name or its editor. */
  children: ComponentChildren
}

/**
 * The first cell of a row: checkbox, picture and name. The picture opens the template. For users who cannot edit, the
 * name does too.
 */
function NameContent({ item, isSelectable, isEditing, children }: NameProps) {
  const { id, name, document } = item
  const href = hrefOf(['templates', id])
  const text = name || `template ${id}`
  return (
    <>
      {isSelectable && (
        <span class="select">
          <input type="checkbox" tabIndex={-1} aria-label={`Select ${text}`} checked={isSelected(id)} />
        </span>
      )}
      <a href={href} tabIndex={-1} class="picture" aria-label={`Open ${text}`}>
        <TemplatePicture image={document?.image} name={name} />
      </a>
      {isEditing ? (
        children
      ) : (
        <span class="name" title={name}>
          {mayWrite() ? (
            children
          ) : (
            <a class="name-link" href={href} tabIndex={-1}>
              {children}
            </a>
          )}
        </span>
      )}
      {mayWrite() && !isEditing && (
        <a href={href} tabIndex={-1} class="button open">
          Open
        </a>
      )}
    </>
  )
}
