import { signal } from '@preact/signals'

/** Number of all templates, once it is known. */
export const total = signal<number | undefined>(undefined)
