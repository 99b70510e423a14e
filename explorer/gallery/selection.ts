import { signal } from '@preact/signals'

/** The selected templates: single ones, or all that match. */
interface Selection {
  ids: ReadonlySet<number>
  /** Whether all matches are selected, also those that are not loaded. */
  all: boolean
}

/** Undefined if selecting is off. */
export const selection = signal<Selection | undefined>(undefined)

/** The template that was selected last. Shift selects all from there. */
let anchor: number | undefined

export function beginSelection(): void {
  anchor = undefined
  selection.value = { ids: new Set(), all: false }
}

export function endSelection(): void {
  selection.value = undefined
}

export const isSelected = (id: number): boolean =>
  selection.value !== undefined && (selection.value.all || selection.value.ids.has(id))

/** Selects or deselects a template. `order` has the ids of the displayed templates. */
export function toggle(id: number, extend: boolean, order: number[]): void {
  if (!selection.value) return
  const ids = new Set(selection.value.all ? order : selection.value.ids)
  const from = anchor === undefined ? -1 : order.indexOf(anchor)
  const to = order.indexOf(id)
  if (extend && from >= 0 && to >= 0)
    for (const each of order.slice(Math.min(from, to), Math.max(from, to) + 1)) ids.add(each)
  else if (!ids.delete(id)) ids.add(id)
  anchor = id
  selection.value = { ids, all: false }
}

export function selectAll(): void {
  selection.value = { ids: new Set(), all: true }
}
