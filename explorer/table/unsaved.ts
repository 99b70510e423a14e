import { signal } from '@preact/signals'
import type { Cell, Editing } from './cells.ts'

/** An edit that waits for the service, or that was not saved: then `problems` has the reasons. */
export interface Unsaved extends Editing {
  isSaving: boolean
  /** Whether somebody else has changed the same. The change is in the form, too. */
  isConflict?: boolean
}

/** The unsaved edits of this tab, by cell. They survive another filter or order; a reload forgets them. */
const edits = signal<ReadonlyMap<string, Unsaved>>(new Map())

const keyOf = ({ id, key }: Cell): string => `${id} ${key}`

export const listUnsaved = (): Unsaved[] => [...edits.value.values()]

export const findUnsaved = (cell: Cell): Unsaved | undefined => edits.value.get(keyOf(cell))

/** Keeps an edit, instead of an earlier one of the same cell. */
export function keepUnsaved(edit: Unsaved): void {
  edits.value = new Map(edits.value).set(keyOf(edit), edit)
}

export function forgetUnsaved(cell: Cell): void {
  if (!findUnsaved(cell)) return
  const others = new Map(edits.value)
  others.delete(keyOf(cell))
  edits.value = others
}
