import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Card, wordsHeight, wordsHeightNarrow } from './card.tsx'
import './grid.css'
import type { List } from './list.ts'
import { keepPlace, moveFocus } from './moving.ts'
import { toggle } from './selection.ts'
import { useWindow } from './window.ts'

const gap = 20
/** Pixels of a card on wide and on narrow screens, at least. */
const leastWidth = 210
const leastWidthNarrow = 146
/** Rows beyond the screen that are ready. */
const spare = 2
const skeletons = 12

/** The templates in rows. Only the rows on the screen, and some around it, are in the document. */
export function Grid({ list }: { list: List }) {
  const frame = useRef<HTMLDivElement>(null)
  const { width, top, height } = useWindow(frame)
  const entries = list.entries.value
  const isNarrow = width < 560
  const least = isNarrow ? leastWidthNarrow : leastWidth
  const space = isNarrow ? 12 : gap
  const columns = Math.max(1, Math.floor((width + space) / (least + space)))
  const cardWidth = (width - space * (columns - 1)) / columns
  const rowHeight = cardWidth + (isNarrow ? wordsHeightNarrow : wordsHeight) + space
  const isWaiting = list.state.value === 'loading' && entries.length === 0
  const known = entries.length + (isWaiting ? skeletons : list.hasNext.value ? columns : 0)
  const rows = Math.ceil(known / columns)
  const firstRow = Math.max(0, Math.floor(top / rowHeight) - spare)
  const lastRow = Math.min(rows, Math.ceil((top + height) / rowHeight) + spare)
  const shown = entries.slice(firstRow * columns, lastRow * columns)
  const empty = Math.min(lastRow * columns, known) - firstRow * columns - shown.length

  useEffect(() => {
    if (lastRow >= rows - 2 && width > 0) list.more()
    if (firstRow === 0 && top <= 0 && width > 0) list.earlier()
  })
  keepPlace(list, { columns, rowHeight, firstVisible: Math.max(0, Math.floor(top / rowHeight)) * columns })
  const select = (id: number, extend: boolean) =>
    toggle(
      id,
      extend,
      entries.map(({ item }) => item.id)
    )
  const [ready, setReady] = useState(false)
  // Not before 300 ms: what comes at once needs no placeholder.
  useLayoutEffect(() => {
    const timer = setTimeout(() => setReady(true), 300)
    return () => clearTimeout(timer)
  }, [])

  return (
    <div class={`grid ${isNarrow ? 'narrow' : ''}`} ref={frame} style={{ height: `${rows * rowHeight}px` }}>
      <ul
        style={{
          '--gap': `${space}px`,
          transform: `translateY(${firstRow * rowHeight}px)`,
          gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))`,
          gridAutoRows: `${rowHeight - space}px`
        }}
        aria-label="Templates"
        aria-busy={isWaiting}
        onKeyDown={event => moveFocus(event, { list, columns, rowHeight })}
      >
        {shown.map(({ item }, index) => (
          <li
            key={item.id}
            aria-posinset={firstRow * columns + index + 1}
            aria-setsize={list.hasUncounted ? -1 : (list.matches.value ?? -1)}
          >
            <Card item={item} onSelect={select} />
          </li>
        ))}
        {Array.from({ length: Math.max(0, empty) }, (_, index) => (
          <li
            key={`empty ${index}`}
            class={ready || entries.length > 0 ? 'skeleton card' : ''}
            aria-hidden="true"
          />
        ))}
      </ul>
    </div>
  )
}
