import type { TargetedKeyboardEvent } from 'preact'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { hrefOf, readRoute, replaceAddress, route } from '../route.ts'
import type { List } from './list.ts'

interface Shape {
  columns: number
  rowHeight: number
}

interface ScrollContext extends Shape {
  firstVisible: number
  /** Returns the scrolling element: the page, or a frame in it. */
  scroller: () => Element | null
}

/** Returns the scrolling element of the page. */
export const pageScroller = (): Element | null => document.scrollingElement

/**
 * Keeps the scroll position. The address has the cursor before the first visible row, so that a reload starts there.
 * Rows inserted above do not move the visible rows. Going back from a template restores the position.
 */
export function useScrollPosition(
  list: List,
  { columns, rowHeight, firstVisible, scroller }: ScrollContext
): void {
  const entries = list.entries.value
  const first = entries[0]?.cursor
  const before = useRef({ first, length: entries.length })
  useLayoutEffect(() => {
    const grown = entries.length - before.current.length
    const inFront = before.current.first !== undefined && before.current.first !== first && grown > 0
    if (inFront) scroller()?.scrollBy({ top: Math.ceil(grown / columns) * rowHeight, behavior: 'instant' })
    before.current = { first, length: entries.length }
  })
  const cursor = firstVisible === 0 ? undefined : entries[firstVisible - 1]?.cursor
  useEffect(() => {
    if (route.value.path.length > 0 || (firstVisible === 0 && list.hasPrevious.value)) return undefined
    // Browsers limit how often the address may change.
    const timer = setTimeout(() => {
      const { path, params } = readRoute()
      if (path.length > 0) return
      if (cursor === undefined) params.delete('from')
      else params.set('from', cursor)
      replaceAddress(hrefOf([], params))
      list.scroll = scroller()?.scrollTop ?? 0
    }, 200)
    return () => clearTimeout(timer)
  }, [cursor])
  useLayoutEffect(() => {
    const { scroll, focused } = list
    requestAnimationFrame(() => {
      scroller()?.scrollTo({ top: scroll, behavior: 'instant' })
      if (focused !== undefined) focusTemplate(focused)
    })
    const remember = (event: MouseEvent) => {
      const found = (event.target as HTMLElement).closest<HTMLElement>('[data-id]')
      if (found) Object.assign(list, { scroll: scroller()?.scrollTop, focused: Number(found.dataset.id) })
    }
    addEventListener('click', remember, true)
    return () => removeEventListener('click', remember, true)
  }, [list])
}

/** How far a key moves the focus. A page has whole rows only. */
const steps: Record<string, (columns: number, page: number) => number> = {
  ArrowLeft: () => -1,
  ArrowRight: () => 1,
  ArrowUp: columns => -columns,
  ArrowDown: columns => columns,
  PageUp: (_, page) => -page,
  PageDown: (_, page) => page,
  Home: () => Number.NEGATIVE_INFINITY,
  End: () => Number.POSITIVE_INFINITY
}

/** Moves the focus with the keys, also to rows that are not rendered yet. Escape goes to the bar of the selection. */
export function moveFocus(
  event: TargetedKeyboardEvent<HTMLElement>,
  { list, columns, rowHeight }: Shape & { list: List }
): void {
  // Tab would go through all templates first.
  if (event.key === 'Escape') document.querySelector<HTMLElement>('.bulk-bar')?.focus()
  const page = columns * Math.max(1, Math.floor(innerHeight / rowHeight))
  const step = steps[event.key]?.(columns, page)
  const id = Number((event.target as HTMLElement).dataset.id)
  const entries = list.entries.value
  const at = entries.findIndex(entry => entry.id === id)
  if (step === undefined || at < 0) return
  const to = Math.max(0, Math.min(entries.length - 1, at + step))
  const next = entries[to]
  if (!next || to === at) return
  event.preventDefault()
  const rows = Math.floor(to / columns) - Math.floor(at / columns)
  focusTemplate(next.id, () => scrollBy({ top: rows * rowHeight, behavior: 'instant' }))
}

/** Focuses the first template on the screen, or the active cell of the table. Returns whether there is one. */
export function focusList(): boolean {
  const found = [...document.querySelectorAll<HTMLElement>('main a[data-id], main [data-id] [tabindex="0"]')]
  const first = found.find(template => template.getBoundingClientRect().top >= 0) ?? found[0]
  first?.focus()
  return first !== undefined
}

/** Focuses a template in the list. If it is not rendered, `scroll` makes it visible first. */
function focusTemplate(id: number, scroll?: () => void): void {
  const find = () =>
    document.querySelector<HTMLElement>(`main a[data-id="${id}"], main [data-id="${id}"] [tabindex="0"]`)
  const found = find()
  if (found) {
    found.focus()
    return
  }
  scroll?.()
  requestAnimationFrame(() => requestAnimationFrame(() => find()?.focus()))
}
