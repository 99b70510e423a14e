import type { Mapping } from '../../tables/mapping.ts'
import { storagePlace } from '../remembered.ts'

/** Each set of columns has its own mapping. */
const keyOf = (names: string[]): string => `${storagePlace}mapping ${JSON.stringify(names.toSorted())}`

/** The mapping that a table with these columns was imported with last, in this browser. */
export function recallMapping(names: string[]): Mapping | undefined {
  const text = localStorage.getItem(keyOf(names))
  return text === null ? undefined : JSON.parse(text)
}

export function rememberMapping(names: string[], mapping: Mapping): void {
  try {
    localStorage.setItem(keyOf(names), JSON.stringify(mapping))
  } catch {
    // The browser has no room: it is guessed again.
  }
}
