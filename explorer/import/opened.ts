import { guessMapping, rowsToGuess } from '../../tables/guess.ts'
import type { Mapping } from '../../tables/mapping.ts'
import { makeExportMapping } from '../../tables/read-table.ts'
import { TableError } from '../../tables/table.ts'
import { mayPublish } from '../api.ts'
import { read } from '../asking.ts'
import { readSchema, traitNames } from '../edit/schema.ts'
import { type Contents, openFile } from './open-file.ts'
import { pictureIn } from './pictures.ts'
import { recallMapping } from './remembered-mapping.ts'

/** A file that has been read, and what its columns become if it is a table. */
export interface Opened {
  contents: Contents
  size: number
  /** Names of traits, for the columns. */
  traits: string[]
  mapping: Mapping | undefined
  /** undefined if the columns are those of an export, or the mapping is remembered. */
  guess: Mapping | undefined
  isExport: boolean
}

/** Opens a file. Throws an Error that says what is wrong. */
export async function openWith(file: File, sheet: string | undefined): Promise<Opened> {
  const contents = await openFile(file, sheet)
  const rest = { contents, traits: [], mapping: undefined, guess: undefined, isExport: true }
  if ('records' in contents) return { ...rest, size: contents.records.length }
  const { table } = contents
  const size = table.rows.length
  const exported = readExport(contents)
  if (exported) return { ...rest, size, mapping: exported }
  const traits = await readTraits()
  const remembered = recallMapping(table.names)
  // The name of a file becomes a link.
  const cells = table.rows
    .slice(0, rowsToGuess)
    .map(row => row.cells.map(cell => (pictureIn(cell) === undefined ? cell : 'upload:')))
  const guess = remembered ? undefined : guessMapping(table.names, cells, traits)
  const found = remembered ?? guess
  const mapping =
    found && !mayPublish() ? { ...found, defaults: { ...found.defaults, publicProduct: false } } : found
  return { contents, size, traits, mapping, guess, isExport: false }
}

/** The mapping of a table that `export` wrote. */
function readExport(contents: Contents): Mapping | undefined {
  try {
    return 'table' in contents ? makeExportMapping({ ...contents.table, rows: nothing() }) : undefined
  } catch (error) {
    if (error instanceof TableError) return undefined
    throw error
  }
}

async function* nothing() {}

async function readTraits(): Promise<string[]> {
  const query = '{ traits(first: 1) { type } }'
  const [schema, { traits }] = await Promise.all([readSchema(), read<{ traits: { type: string }[] }>(query)])
  return [...new Set([...traits.map(({ type }) => type), ...traitNames(schema)])].sort()
}
