import { columns } from '../../db/templates/table/columns.ts'
import { type ColumnName, columnNames } from '../template/parts.ts'
import { humanName } from '../words.ts'
import type { BulkChange } from './write.ts'

/** One thing that is to change: a trait that is set or removed, or a field. */
export interface Row {
  /** Stays the same while the row is edited. */
  key: number
  what: 'set' | 'remove' | ColumnName
  /** The name of the trait. */
  name: string
  value: unknown
}

/** What can change, as people call it. */
export const choices: [Row['what'], string][] = [
  ['set', 'Set a trait'],
  ['remove', 'Remove a trait'],
  ...columnNames.map((column): [ColumnName, string] => [column, columns[column].label])
]

/** Whether a row is about a trait, not a field. */
export const isTrait = (what: Row['what']): what is 'set' | 'remove' => what === 'set' || what === 'remove'

const firstValues = { integer: 1, boolean: true, text: '', time: '', document: '' }

/** The value that a row begins with. */
export const firstValue = (what: Row['what']): unknown =>
  isTrait(what) ? '' : firstValues[columns[what].type]

/** The trait that a text names as the filters and the table do: `MadeIn` for `made in`; a new one otherwise. */
export const findTrait = (text: string, traits: string[]): string => {
  const same = (trait: string) => humanName(trait).toLowerCase() === text.trim().toLowerCase()
  return traits.includes(text) ? text : (traits.find(same) ?? text)
}

/** What keeps the rows from being a change; undefined if nothing does. */
export function findFault(rows: Row[]): string | undefined {
  const keys = rows.map(({ what, name }) => (isTrait(what) ? `trait ${name}` : what))
  if (rows.some(({ what, name }) => isTrait(what) && name === '')) return 'Name each trait.'
  return new Set(keys).size < keys.length ? 'Each trait and field can change once.' : undefined
}

export function toChange(rows: Row[]): BulkChange {
  const change: BulkChange = { setTraits: [], removeTraits: [] }
  for (const { what, name, value } of rows) {
    if (what === 'set') change.setTraits.push({ traitType: name, value })
    else if (what === 'remove') change.removeTraits.push(name)
    else Object.assign(change, { [what]: value })
  }
  return change
}
