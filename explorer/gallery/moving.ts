import type { TargetedKeyboardEvent } from 'preact'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { hrefOf, note, place, readPlace } from '../place.ts'
import type { List } from './list.ts'

interface Shape {
  columns: number
  rowHeight: number
}

interface Place extends Shape {
  firstVisible: number
  /** Returns what scrolls: the page, or a frame in it. */
  scroller: () => Element | null
}

/** What scrolls if nothing else does. */
export const pageScroller = (): Element | null => document.scrollingElement

/**
 * Keeps the place: the address has the cursor before the first row on the screen, so that a reload begins there, and
 * rows that come in front do not move what is on the screen. Who comes back from a template finds the place again.
 */
export function keepPlace(list: List, { columns, rowHeight, firstVisible, scroller }: Place): void {
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
    if (place.value.path.length > 0 || (firstVisible === 0 && list.hasPrevious.value)) return undefined
    // Browsers allow few changes of the address in a short time.
    const timer = setTimeout(() => {
      const { path, params } = readPlace()
      if (path.length > 0) return
      if (cursor === undefined) params.delete('from')
      else params.set('from', cursor)
      note(hrefOf([], params))
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
  const at = entries.findIndex(entry => entry.id === id)
  const next = entries[at + (step ?? 0)]
  if (step === undefined || at < 0 || !next) return
  event.preventDefault()
  focusTemplate(next.id, () => scrollBy({ top: Math.sign(step) * rowHeight, behavior: 'instant' }))
}

/** Focuses a template in the list; `scroll` brings it into the document if it is not there. */
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
