import type { ComponentChild } from 'preact'
import { useRef } from 'preact/hooks'
import { type Criteria, writeCriteria } from '../gallery/criteria.ts'
import { maxCounted } from '../gallery/items.ts'
import type { List } from '../gallery/list.ts'
import { isAscending, reverseOrder, sortKeyOf } from '../gallery/orders.ts'
import { endSelection, selectAll, selection } from '../gallery/selection.ts'
import { keepFocus } from '../numbers/read-input.tsx'
import { hrefOf, navigate } from '../route.ts'
import { maxWidth, minWidth, moveColumn, setWidth } from './chosen-columns.ts'
import { nameColumn, type TableColumn } from './columns.tsx'
import './head.css'

interface Props {
  list: List
  criteria: Criteria
  columns: TableColumn[]
  isSelectable: boolean
}

/** The column headings. A click sorts by a column; another click reverses the order. */
export function Head({ list, criteria, columns, isSelectable }: Props) {
  return (
    <div class="head" role="rowgroup">
      <div class="row" role="row" aria-rowindex={1}>
        {columns.map((column, index) => (
          <HeadCell key={column.key} column={column} number={index + 1} criteria={criteria}>
            {isSelectable && column.key === nameColumn.key && <SelectAll list={list} />}
          </HeadCell>
        ))}
      </div>
    </div>
  )
}

function SelectAll({ list }: { list: List }) {
  const { all = false, ids } = selection.value ?? {}
  const matching = list.matches.value ?? 0
  const isPossible = matching > 0 && matching <= maxCounted
  return (
    <input
      class="select"
      type="checkbox"
      aria-label={isPossible ? 'Select all' : 'Select all: too many, use a filter'}
      disabled={!isPossible}
      checked={all}
      indeterminate={!all && (ids?.size ?? 0) > 0}
      onChange={() => (all ? endSelection() : selectAll())}
    />
  )
}

interface CellProps {
  column: TableColumn
  number: number
  criteria: Criteria
  children: ComponentChild
}

function HeadCell({ column, number, criteria, children }: CellProps) {
  const { key, label, isSortable, isNumber } = column
  const { order } = criteria
  const isSorted = sortKeyOf(order) === key
  const direction = isAscending(order) ? 'ascending' : 'descending'
  const sort = () =>
    navigate(hrefOf([], writeCriteria({ ...criteria, order: isSorted ? reverseOrder(order) : key })))
  const classes = [isNumber && 'number', key === 'name' && 'name-cell', isSorted && 'sorted']
  return (
    <div
      role="columnheader"
      data-key={key}
      class={classes.filter(Boolean).join(' ')}
      aria-colindex={number}
      aria-sort={isSorted ? direction : undefined}
      title={label}
      draggable={key !== nameColumn.key}
      onDragStart={event => event.dataTransfer?.setData(dragType, key)}
      onDragOver={event => {
        if (event.dataTransfer?.types.includes(dragType)) event.preventDefault()
      }}
      onDrop={event => {
        event.preventDefault()
        moveColumn(event.dataTransfer?.getData(dragType) ?? '', key)
      }}
    >
      {children}
      {isSortable ? (
        <button type="button" class="heading" onClick={sort}>
          <span class="label">{label}</span>
          <span aria-hidden="true">{isSorted && (direction === 'ascending' ? ' ↑' : ' ↓')}</span>
        </button>
      ) : (
        <span class="heading">
          <span class="label">{label}</span>
        </span>
      )}
      {key !== nameColumn.key && <WidthHandle column={column} />}
    </div>
  )
}

/** The type of what is dragged: only columns can be dropped on columns. */
const dragType = 'text/x-column'

/** Pixels by which a key changes the width. */
const widthStep = 16

/** The right edge of a heading: dragging it, or the arrow keys, changes the width of the column. */
function WidthHandle({ column: { key, label, width } }: { column: TableColumn }) {
  const start = useRef<{ x: number; width: number }>(undefined)
  return (
    <div
      class="width-handle"
      role="separator"
      tabIndex={0}
      aria-orientation="vertical"
      title={`Width of ${label}`}
      aria-valuenow={width}
      aria-valuemin={minWidth}
      aria-valuemax={maxWidth}
      // Otherwise the browser drags the heading that is below the pressed place once the width has changed.
      {...keepFocus}
      onPointerDown={event => {
        event.currentTarget.focus()
        event.currentTarget.setPointerCapture(event.pointerId)
        start.current = { x: event.clientX, width }
      }}
      onPointerMove={event => {
        if (start.current && event.buttons === 1)
          setWidth(key, start.current.width + event.clientX - start.current.x)
      }}
      onPointerUp={() => {
        start.current = undefined
      }}
      onKeyDown={event => {
        const step = { ArrowLeft: -widthStep, ArrowRight: widthStep }[event.key]
        if (step === undefined) return
        event.preventDefault()
        setWidth(key, width + step)
      }}
    />
  )
}
