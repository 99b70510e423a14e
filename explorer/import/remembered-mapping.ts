import type { Mapping } from '../../tables/mapping.ts'
import { recallLong, rememberLong } from '../remembered.ts'

/** Each set of columns has its own mapping. */
const keyOf = (names: string[]): string => `mapping ${JSON.stringify(names.toSorted())}`

/** The mapping that a table with these columns was imported with last, in this browser. */
export const recallMapping = (names: string[]): Mapping | undefined => recallLong(keyOf(names))

export const rememberMapping = (names: string[], mapping: Mapping): void =>
  rememberLong(keyOf(names), mapping)
