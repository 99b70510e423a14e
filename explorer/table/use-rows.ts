import type { RefObject } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { RowItem } from '../gallery/items.ts'
import type { List } from '../gallery/list.ts'
import { useScrollPosition } from '../gallery/scrolling.ts'
import { useVisiblePart } from '../gallery/visible-part.ts'
import type { Cells } from './cells.ts'
import { readTraitColumns, shownColumns } from './chosen-columns.ts'
import { readAuthors } from './last-change.tsx'

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

export type Rows = ReturnType<typeof useRows>

/**
 * Determines the rows to render, and reads their data: from `first` up to, but not including, `last`. `active` is the
 * row of the active cell, -1 if it is not in the list; `fitting` the number of rows that fit on the screen.
 */
export function useRows(list: List<RowItem>, cells: Cells, frame: RefObject<HTMLElement | null>) {
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

interface Range {
  first: number
  last: number
}

/** The maximum number of new rows per frame, so that no frame takes long, however fast the user scrolls. */
const maxNewRows = 6

/** Returns the part of the wanted rows to render in this frame. Visible rows come first. */
function useGradualRows(wanted: Range, screen: Range): Range {
  const made = useRef<Range>({ first: 0, last: 0 })
  const [, setFrame] = useState(0)
  const next = extend(made.current, wanted, screen)
  const isComplete = next.first <= wanted.first && next.last >= wanted.last
  useLayoutEffect(() => {
    made.current = next
    if (isComplete) return undefined
    let timer: ReturnType<typeof setTimeout>
    // After this frame, because scrolling may already render rows in it.
    const request = requestAnimationFrame(() => {
      timer = setTimeout(() => setFrame(frame => frame + 1))
    })
    return () => {
      cancelAnimationFrame(request)
      clearTimeout(timer)
    }
  })
  return next
}

function extend(made: Range, wanted: Range, screen: Range): Range {
  const first = Math.max(made.first, wanted.first)
  const last = Math.min(made.last, wanted.last)
  // None of the wanted rows is rendered yet.
  if (first >= last) return { first: screen.first, last: Math.min(wanted.last, screen.first + maxNewRows) }
  const after = Math.min(wanted.last - last, maxNewRows)
  const before = Math.min(first - wanted.first, maxNewRows)
  // Extends the side that lacks visible rows. Mostly this is one side only.
  if (last < screen.last || before === 0) return { first, last: last + after }
  return { first: first - before, last: last + Math.min(after, maxNewRows - before) }
}
