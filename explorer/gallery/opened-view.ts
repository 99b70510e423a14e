import { signal } from '@preact/signals'
import type { NamedView } from '../feature-parts.ts'

/** The saved view that the address names. Its columns count instead of the user's own ones, until it is left. */
export const openedView = signal<NamedView | undefined>(undefined)
