import { signal } from '@preact/signals'
import { countTemplates } from './items.ts'

/** Number of all templates, once it is known. */
export const total = signal<number | undefined>(undefined)

/** Reads the number of all templates, if no list has yet. */
export async function readTotal(): Promise<void> {
  total.value ??= (await countTemplates(undefined)).all
}
