import { signal } from '@preact/signals'

/** What the user has selected in the gallery: single templates, or all that match. */
export interface Selection {
  ids: ReadonlySet<number>
  /** Whether all that match are selected, also those that are not loaded. */
  all: boolean
}

/** Undefined while templates are opened, not selected. */
export const selection = signal<Selection | undefined>(undefined)

/** The template that was selected last: with the shift key, all from there on are selected. */
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

/** Selects a template, or takes it out. `order` has the ids of the templates as they are shown. */
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
