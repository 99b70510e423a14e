import type { DefaultValues } from '../../../domain/columns.ts'
import { FormatError } from '../../../domain/format-error.ts'
import { readColumn, type TableColumn } from './columns.ts'

/** The ways to read the cells of a column. */
export const kinds = {
  text: 'a text',
  number: 'a whole number',
  decimal: 'a text that is a number, such as 2,50',
  boolean: 'yes or no',
  list: 'a list of texts, separated by commas, semicolons or line breaks',
  value: 'as in the tables of `export`'
} as const
export type Kind = keyof typeof kinds

/** The target of a column: a field such as `name`, `document.productId`, or `trait:MadeIn`. */
export interface ColumnTarget {
  to: string
  as: Kind
}

/** The fields by which a row can be matched with a stored template. */
export const keys = ['id', 'productId', 'name'] as const
export type Key = (typeof keys)[number]

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

/** The target of the column that has the key. */
export const targetOfKey = { id: 'id', productId: 'document.productId', name: 'name' } as const

/** Whether one of the columns has the key. */
export const hasColumnOf = (key: Key, columns: Mapping['columns']): boolean =>
  Object.values(columns).some(target => target?.to === targetOfKey[key])

/** A column that is read, and its index in the rows. */
export interface MappedColumn extends TableColumn {
  index: number
  as: Kind
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
    return target ? [{ ...toColumn(column, target, line), index, as: target.as }] : []
  })
  const targets = new Set<string>()
  const twice = mapped.find(({ kind, name }) => targets.size === targets.add(`${kind} ${name}`).size)
  if (twice) throw new FormatError('another column becomes the same field', { line, column: twice.header })
  if (key && !hasColumnOf(key, columns))
    throw new FormatError(`the key is ${key}, but no column becomes ${targetOfKey[key]}`, { line })
  return mapped
}

function toColumn(header: string, { to }: ColumnTarget, line: number): TableColumn {
  const column = readColumn(to)
  if (!column) throw new FormatError(`the column cannot become ${to}`, { line, column: header })
  return { ...column, header }
}
