import type { TargetedKeyboardEvent } from 'preact'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { hrefOf, note, place, readPlace } from '../place.ts'
import type { List } from './list.ts'

interface Shape {
  columns: number
  rowHeight: number
}

/**
 * Keeps the place: the address has the cursor before the first row on the screen, so that a reload begins there, and
 * rows that come in front do not move what is on the screen.
 */
export function keepPlace(
  list: List,
  { columns, rowHeight, firstVisible }: Shape & { firstVisible: number }
): void {
  const entries = list.entries.value
  const first = entries[0]?.cursor
  const before = useRef({ first, length: entries.length })
  useLayoutEffect(() => {
    const grown = entries.length - before.current.length
    const inFront = before.current.first !== undefined && before.current.first !== first && grown > 0
    if (inFront) scrollBy({ top: Math.ceil(grown / columns) * rowHeight, behavior: 'instant' })
    before.current = { first, length: entries.length }
  })
  const cursor = firstVisible === 0 ? undefined : entries[firstVisible - 1]?.cursor
  useEffect(() => {
    if (place.value.path.length > 0 || (firstVisible === 0 && list.hasPrevious.value)) return undefined
    // Browsers allow few changes of the address in a short time.
    const timer = setTimeout(() => {
      const { path, params } = readPlace()
      if (path.length > 0) return
      if (cursor === undefined) params.delete('from')
      else params.set('from', cursor)
      note(hrefOf([], params))
      list.scroll = scrollY
    }, 200)
    return () => clearTimeout(timer)
  }, [cursor])
}

const steps: Record<string, (columns: number) => number> = {
  ArrowLeft: () => -1,
  ArrowRight: () => 1,
  ArrowUp: columns => -columns,
  ArrowDown: columns => columns
}

/** Moves the focus with the arrow keys, also to rows that are not on the screen yet. */
export function moveFocus(
  event: TargetedKeyboardEvent<HTMLElement>,
  { list, columns, rowHeight }: Shape & { list: List }
): void {
  const step = steps[event.key]?.(columns)
  const id = Number((event.target as HTMLElement).dataset.id)
  const entries = list.entries.value
  const at = entries.findIndex(({ item }) => item.id === id)
  const next = entries[at + (step ?? 0)]
  if (step === undefined || at < 0 || !next) return
  event.preventDefault()
  focusCard(next.item.id, () => scrollBy({ top: Math.sign(step) * rowHeight, behavior: 'instant' }))
}

/** Focuses the card of a template; `scroll` brings it into the document if it is not there. */
export function focusCard(id: number, scroll?: () => void): void {
  const find = () => document.querySelector<HTMLElement>(`.template-card[data-id="${id}"]`)
  const found = find()
  if (found) {
    found.focus()
    return
  }
  scroll?.()
  requestAnimationFrame(() => requestAnimationFrame(() => find()?.focus()))
}
