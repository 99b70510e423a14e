import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Card } from './card.tsx'
import { hasSecondLine } from './card-facts.ts'
import { type CardSize, cardSize } from './card-options.tsx'
import './card.css'
import type { List } from './list.ts'
import { moveFocus, pageScroller, useScrollPosition } from './scrolling.ts'
import { toggle } from './selection.ts'
import { useVisiblePart } from './visible-part.ts'

/**
 * The sizes in pixels: the minimum width of a card, the space between cards, and the height of the text below the
 * picture.
 */
const shapes = {
  large: { leastWidth: 210, space: 20, textHeight: 72 },
  medium: { leastWidth: 146, space: 12, textHeight: 84 },
  small: { leastWidth: 96, space: 10, textHeight: 58 }
}
/** Whether a card has the key and the price on two lines. */
const isTight = (cardWidth: number): boolean => cardWidth < 200
/** The height of the key and the price. */
const secondHeightOf = (shapeName: keyof typeof shapes, cardWidth: number): number =>
  shapeName === 'small' || !hasSecondLine() ? 0 : isTight(cardWidth) ? 40 : 20
/** Below this width in pixels, cards are smaller, so that their names are on the screen, also at 200 %. */
const narrowWidth = 700
const shapeNameOf = (size: CardSize, isNarrow: boolean): keyof typeof shapes => {
  if (size === 'large') return isNarrow ? 'medium' : 'large'
  return isNarrow ? 'small' : 'medium'
}
/** Rows rendered above and below the screen. */
const overscan = 2
const skeletons = 12

/** The templates as cards. Only the rows on the screen and a few around it are rendered. */
export function Grid({ list }: { list: List }) {
  const frame = useRef<HTMLDivElement>(null)
  const { width, top, height } = useVisiblePart(frame)
  const entries = list.entries.value
  const shapeName = shapeNameOf(cardSize.value, width < narrowWidth)
  const { leastWidth, space, textHeight } = shapes[shapeName]
  const columns = Math.max(1, Math.floor((width + space) / (leastWidth + space)))
  const cardWidth = (width - space * (columns - 1)) / columns
  const look = isTight(cardWidth) ? `${shapeName} tight` : shapeName
  const rowHeight = cardWidth + textHeight + secondHeightOf(shapeName, cardWidth) + space
  const fitting = shapeName === 'large' ? undefined : lettersOnTwoLines(cardWidth)
  const isWaiting = list.state.value === 'loading' && entries.length === 0
  const known = entries.length + (isWaiting ? skeletons : list.hasNext.value && !list.hasFailed ? columns : 0)
  const rows = Math.ceil(known / columns)
  const firstRow = Math.max(0, Math.floor(top / rowHeight) - overscan)
  const lastRow = Math.min(rows, Math.ceil((top + height) / rowHeight) + overscan)
  const shown = entries.slice(firstRow * columns, lastRow * columns)
  const empty = Math.min(lastRow * columns, known) - firstRow * columns - shown.length

  useEffect(() => {
    list.setVisible(firstRow * columns, lastRow * columns)
    if (lastRow >= rows - 2 && width > 0) list.readNext()
    if (firstRow === 0 && top <= 0 && width > 0) list.readPrevious()
  })
  const firstVisible = Math.max(0, Math.floor(top / rowHeight)) * columns
  useScrollPosition(list, { columns, rowHeight, firstVisible, scroller: pageScroller })
  const select = (id: number, extend: boolean) =>
    toggle(
      id,
      extend,
      entries.map(entry => entry.id)
    )
  const [ready, setReady] = useState(false)
  // No placeholders in the first 200 ms: most responses arrive earlier.
  useLayoutEffect(() => {
    const timer = setTimeout(() => setReady(true), 200)
    return () => clearTimeout(timer)
  }, [])

  return (
    <div class={`grid ${look}`} ref={frame} style={{ height: `${rows * rowHeight}px` }}>
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
        {shown.map(({ id, item }, index) => (
          <li
            key={id}
            aria-posinset={firstRow * columns + index + 1}
            aria-setsize={list.hasUncounted ? -1 : (list.matches.value ?? -1)}
          >
            {item && <Card item={item} fitting={fitting} onSelect={select} />}
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

/** Returns how many letters of a name fit on two lines. Up to half of a line may stay empty where a word wraps. */
const lettersOnTwoLines = (cardWidth: number): number => Math.floor((1.5 * (cardWidth - 20)) / 8.5)
