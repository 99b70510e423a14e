import { columns } from '../../domain/columns.ts'
import { checkFields } from '../edit/check-fields.ts'
import { toSentence } from '../edit/problem.ts'
import { noDecimals, outOfRange } from '../edit/trait-kinds.ts'
import type { TraitFacet } from '../filters/counts.ts'
import { humanName } from '../format.ts'
import { type ColumnName, columnNames } from '../template/parts.ts'
import type { BulkChange } from './write.ts'

/** A change: a trait to set or to remove, or a field to set. */
export interface Row {
  /** Identifies the row while it is edited. */
  key: number
  what: 'set' | 'remove' | ColumnName
  /** The trait type. */
  name: string
  value: unknown
}

/** What a row can change. */
export const choices: [Row['what'], string][] = [
  ['set', 'Set a trait'],
  ['remove', 'Remove a trait'],
  ...columnNames.map((column): [ColumnName, string] => [column, columns[column].label])
]

/** Whether a row changes a trait, not a field. */
export const isTrait = (what: Row['what']): what is 'set' | 'remove' => what === 'set' || what === 'remove'

const firstValues = { integer: 1, boolean: true, text: '', time: '', document: '' }

/** Returns the initial value of a row. */
export const firstValue = (what: Row['what']): unknown =>
  isTrait(what) ? '' : firstValues[columns[what].type]

/** Finds the trait by its type or by its name in the filters: `MadeIn` for `made in`. Any other text is a new trait. */
export const findTrait = (text: string, facets: TraitFacet[]): string => {
  const traits = facets.map(({ type }) => type)
  const same = (trait: string) => humanName(trait).toLowerCase() === text.trim().toLowerCase()
  return traits.includes(text) ? text : (traits.find(same) ?? text)
}

/** Whether a row is still as it was added. */
export const isNew = (row: Row | undefined): boolean =>
  row === undefined || (row.what === 'set' && row.name === '' && row.value === '')

/** Returns why a number cannot be set. */
export function checkNumber(what: Row['what'], number: number): string | undefined {
  if (!isTrait(what)) return checkFields([what], { [what]: number })[0]?.message
  if (!Number.isInteger(number)) return noDecimals
  return Number.isSafeInteger(number) ? undefined : outOfRange
}

/** Returns why the rows are not a valid change; undefined if they are valid. */
export function findProblem(rows: Row[]): string | undefined {
  const keys = rows.map(({ what, name }) => (isTrait(what) ? `trait ${name}` : what))
  if (rows.some(({ what, name }) => isTrait(what) && name === '')) return 'Name each trait.'
  if (new Set(keys).size < keys.length) return 'Each trait and field can change once.'
  const fields = rows.flatMap(({ what, value }) =>
    isTrait(what) ? [] : checkFields([what], { [what]: value })
  )
  return fields.map(problem => `${toSentence(problem)}.`)[0]
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
