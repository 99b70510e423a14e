import { signal } from '@preact/signals'
import type { NamedView } from '../feature-parts.ts'

/**
 * The saved view that the address names. While it is open, the table has its columns instead of the user's own ones.
 */
export const openedView = signal<NamedView | undefined>(undefined)
