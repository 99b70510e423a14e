import { loadForBrowser, saveForBrowser } from '../../../../explorer/storage.ts'
import { askForUnit } from '../../tables/guess.ts'
import type { Mapping } from '../../tables/mapping.ts'

/** A mapping belongs to a set of columns. */
const keyOf = (names: string[]): string => `mapping ${JSON.stringify(names.toSorted())}`

/** Returns the last mapping of a table with these columns, in this browser. An older one does not ask for units. */
export function recallMapping(names: string[]): Mapping | undefined {
  const mapping: Mapping | undefined = loadForBrowser(keyOf(names))
  for (const [name, target] of Object.entries(mapping?.columns ?? {}))
    if (mapping && target && target.needsUnit === undefined) mapping.columns[name] = askForUnit(name, target)
  return mapping
}

export const rememberMapping = (names: string[], mapping: Mapping): void =>
  saveForBrowser(keyOf(names), mapping)
