import { loadForBrowser, saveForBrowser } from '../../../../explorer/storage.ts'
import type { Mapping } from '../../tables/mapping.ts'

/** A mapping belongs to a set of columns. */
const keyOf = (names: string[]): string => `mapping ${JSON.stringify(names.toSorted())}`

/** Returns the last mapping of a table with these columns, in this browser. */
export const recallMapping = (names: string[]): Mapping | undefined => loadForBrowser(keyOf(names))

export const rememberMapping = (names: string[], mapping: Mapping): void =>
  saveForBrowser(keyOf(names), mapping)
