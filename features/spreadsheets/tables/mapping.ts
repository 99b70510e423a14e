import type { DefaultValues } from '../../../domain/columns.ts'
import { FormatError } from '../../../domain/format-error.ts'
import type { Notation } from '../notations/normalize.ts'
import { findExpected, isUnitOf } from '../notations/numbers.ts'
import { unguardCell } from './cell.ts'
import { describeUnknown, readColumn, type TableColumn } from './columns.ts'
import type { Table } from './table.ts'

/** The ways to read the cells of a column. */
export const kinds = {
  text: 'a text',
  number: 'a whole number',
  decimal: 'a number with decimals, such as 2,50',
  money: 'a number with a currency, such as 2,50 €',
  date: 'a date, such as 31.01.2026',
  link: 'a link',
  picture: 'a link to a picture',
  boolean: 'yes or no',
  list: 'a list of texts, separated by commas, semicolons or line breaks',
  value: 'as in the tables of `export`'
} as const
export type Kind = keyof typeof kinds

/** The kinds whose values are compared as numbers: `19.9` and `19.90` are the same. */
export const numberKinds: readonly Kind[] = ['number', 'decimal', 'money']

/** The target of a column: a field such as `name`, `document.productId`, or `trait:MadeIn`. */
export interface ColumnTarget {
  to: string
  as: Kind
  /** How its cells are written. Without it, a cell that has two meanings is a problem. */
  notation?: Notation | undefined
  /**
   * Whether a number without a unit is a problem, because only the name of the trait has one. It is none if the stored
   * template has the same number.
   */
  needsUnit?: boolean | undefined
}

/** The fields by which a row can be matched with a stored template. */
const fieldKeys = { id: 'id', productId: 'document.productId', name: 'name' } as const

/** What matches a row with a stored template: a field, or a trait such as `trait:SKU`. */
export type Key = keyof typeof fieldKeys | `trait:${string}`

/** Returns the key that a target can be; undefined if it cannot be one. */
export const keyOf = (to: string): Key | undefined =>
  to.startsWith('trait:')
    ? (to as Key)
    : (Object.keys(fieldKeys) as (keyof typeof fieldKeys)[]).find(key => fieldKeys[key] === to)

export const isKey = (text: string): text is Key => Object.hasOwn(fieldKeys, text) || /^trait:./s.test(text)

/** Returns the target of the column that has the key. */
export const targetOf = (key: Key): string => (Object.hasOwn(fieldKeys, key) ? fieldKeys[key as 'id'] : key)

/** Returns the name of a trait that is a key; undefined for a field. */
export const traitOfKey = (key: Key): string | undefined => {
  const column = readColumn(key)
  return column?.kind === 'trait' ? column.name : undefined
}

/** The kinds of columns that may have the key: their cells are stored as they are. */
export const keyKinds: readonly Kind[] = ['text', 'number', 'link', 'value']

/** The targets of the columns of a table, and the values that its rows lack. */
export interface Mapping {
  /** By the name of the column. null leaves the column out. */
  columns: Record<string, ColumnTarget | null>
  /** The fields of new templates for which the table has no value. */
  defaults: Partial<DefaultValues>
  /** null if every row is a new template. */
  key: Key | null
  /** Whether the table is one that `export` wrote, by its header. */
  isOfExport?: boolean
}

/** Whether one of the columns has the key. */
export const hasColumnOf = (key: Key, columns: Mapping['columns']): boolean =>
  Object.values(columns).some(target => target?.to === targetOf(key))

/** Returns the mapping of a table that `export` wrote. Throws FormatError for any other column. */
export function makeExportMapping({ names, header }: Table): Mapping {
  const columns: Mapping['columns'] = {}
  const cells = new Set<string>()
  for (const [index, name] of names.entries()) {
    const cell = header.cells[index] as string
    if (cell.trim() === '') {
      columns[name] = null
      continue
    }
    if (cells.size === cells.add(cell).size)
      throw new FormatError('two columns have the same name', { line: header.line, column: cell })
    const to = unguardCell(cell)
    if (!readColumn(to)) throw new FormatError(describeUnknown(to), { line: header.line, column: cell })
    columns[name] = { to, as: 'value' }
  }
  return { columns, defaults: {}, key: hasColumnOf('id', columns) ? 'id' : null, isOfExport: true }
}

/** A column that is read, and its index in the rows. */
export interface MappedColumn extends TableColumn, Omit<ColumnTarget, 'to'> {
  index: number
}

/**
 * Returns the columns that are read. `line` is the line of the header. Throws FormatError if the mapping does not fit
 * the table.
 */
export function mapColumns(names: string[], { columns, key }: Mapping, line = 1): MappedColumn[] {
  for (const column of names)
    if (!Object.hasOwn(columns, column))
      throw new FormatError('the mapping does not have this column', { line, column })
  const known = new Set(names)
  for (const column of Object.keys(columns))
    if (!known.has(column))
      throw new FormatError('the mapping has this column, but the table does not', { line, column })
  const mapped = names.flatMap((column, index) => {
    const target = columns[column]
    if (!target) return []
    const { to, ...form } = target
    const [own, expected] = [column, to].map(name => findExpected(form.as, name))
    // A number in the unit of its column is another one in that of the trait.
    const isOther = numberKinds.includes(form.as) && own && expected && !isUnitOf(own, expected)
    return [{ ...toColumn(column, to, line), index, ...form, ...(isOther && { needsUnit: true }) }]
  })
  const targets = new Set<string>()
  const twice = mapped.find(({ kind, name }) => targets.size === targets.add(`${kind} ${name}`).size)
  if (twice) throw new FormatError('another column becomes the same field', { line, column: twice.header })
  if (!key) return mapped
  if (!hasColumnOf(key, columns))
    throw new FormatError(`the key is ${key}, but no column becomes ${targetOf(key)}`, { line })
  const keyed = mapped.find(({ header }) => columns[header]?.to === targetOf(key))
  if (keyed && !keyKinds.includes(keyed.as))
    throw new FormatError(`a column of the kind ${keyed.as} cannot be the key`, {
      line,
      column: keyed.header
    })
  return mapped
}

function toColumn(header: string, to: string, line: number): TableColumn {
  const column = readColumn(to)
  if (!column) throw new FormatError(`the column cannot become ${to}`, { line, column: header })
  return { ...column, header }
}
