import type { RefObject } from 'preact'
import { useEffect, useLayoutEffect } from 'preact/hooks'
import type { RowItem } from '../gallery/items.ts'
import type { List } from '../gallery/list.ts'
import { useScrollPosition } from '../gallery/scrolling.ts'
import { useVisiblePart } from '../gallery/visible-part.ts'
import { readAuthors } from './authors.ts'
import type { Cells } from './cells.ts'
import { readTraitColumns, shownColumns } from './chosen-columns.ts'
import { useGradualRows } from './use-gradual-rows.ts'

/** In pixels. */
export const rowHeight = 48
/** Rows rendered above and below the screen, and the number of rows to scroll before rendering others. */
const overscan = 8
const step = 2
/** Rows before the end at which the next page is read. */
const readAhead = 60
/** Pixels, as in table.css. */
const narrowWidth = 560
/** Milliseconds after scrolling before the authors of visible rows are read. */
const authorsDelay = 150

export interface Rows {
  /** The rendered rows: from `first` up to, but not including, `last`. */
  first: number
  last: number
  /** The row of the active cell; -1 if it is not in the list. */
  active: number
  /** How many rows fit on the screen. */
  fitting: number
  isNarrow: boolean
}

/** Determines the rows to render, and reads their data. */
export function useRows(list: List<RowItem>, cells: Cells, frame: RefObject<HTMLElement | null>): Rows {
  const { top, height, width } = useVisiblePart(frame, { isScroller: true, step: step * rowHeight })
  const entries = list.entries.value
  const firstVisible = Math.floor(top / rowHeight)
  const lastVisible = Math.ceil((top + height) / rowHeight) + step
  const { first, last } = useGradualRows(
    { first: Math.max(0, firstVisible - overscan), last: lastVisible + overscan },
    { first: firstVisible, last: lastVisible }
  )
  const active = useActive(list, cells)
  useScrollPosition(list, { columns: 1, rowHeight, firstVisible, scroller: () => frame.current })
  useEffect(() => {
    list.setVisible(first, last)
    if (last >= entries.length - readAhead && width > 0) list.readNext()
    if (top <= 0 && width > 0) list.readPrevious()
  })
  useEffect(() => {
    if (list.state.value === 'ready') readTraitColumns().catch(() => {})
  }, [list.state.value])
  const isAuthorShown = shownColumns.value.some(({ key }) => key === 'changed')
  useEffect(() => {
    if (!isAuthorShown) return undefined
    const stop = new AbortController()
    const items = entries.slice(first, last).flatMap(({ item }) => item ?? [])
    const timer = setTimeout(() => readAuthors(items, stop.signal).catch(() => {}), authorsDelay)
    return () => {
      clearTimeout(timer)
      stop.abort()
    }
  }, [isAuthorShown, first, last, entries])
  const fitting = Math.max(1, Math.floor(height / rowHeight) - 1)
  return { first, last, active, fitting, isNarrow: width < narrowWidth }
}

/** Returns the active row. Initially it is the first row, or the template that the user comes back from. */
function useActive(list: List<RowItem>, cells: Cells): number {
  const entries = list.entries.value
  const active = entries.findIndex(({ id }) => id === cells.active.value?.id)
  useLayoutEffect(() => {
    const id = (entries.find(({ id }) => id === list.focused) ?? entries[0])?.id
    if (active < 0 && id !== undefined) cells.active.value = { id, key: 'name' }
  }, [active, entries])
  return active
}
