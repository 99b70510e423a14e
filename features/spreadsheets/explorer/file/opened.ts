import { FormatError } from '../../../../domain/format-error.ts'
import { storesPictures } from '../../../../explorer/additions.ts'
import { mayPublish } from '../../../../explorer/api.ts'
import { readSchema, traitNames } from '../../../../explorer/edit/schema.ts'
import { read } from '../../../../explorer/requests.ts'
import { guessMapping } from '../../tables/guess.ts'
import { type Mapping, makeExportMapping } from '../../tables/mapping.ts'
import { sampleRows } from '../../tables/sample.ts'
import { recallMapping } from '../columns/remembered-mapping.ts'
import { pictureIn } from '../pictures/pictures.ts'
import { type Choice, type Contents, type OpenTable, openFile } from './open-file.ts'

/** An open file, with the mapping of its columns if it is a table. */
export interface Opened {
  contents: Contents
  size: number
  /** Trait types to choose from. */
  traits: string[]
  mapping: Mapping | undefined
  /** Undefined if the file is an export or the mapping is remembered. */
  guess: Mapping | undefined
  isExport: boolean
}

/** Opens a file. Throws an Error with a message for the user. */
export async function openImport(file: File, choice: Choice): Promise<Opened> {
  // Read at the same time, because networks may be slow.
  const [contents, traits] = await Promise.all([openFile(file, choice), readTraits()])
  const rest = { contents, traits: [], mapping: undefined, guess: undefined, isExport: true }
  if ('records' in contents) return { ...rest, size: contents.records.length }
  const { table } = contents
  const size = table.rows.length
  const exported = readExport(contents)
  if (exported) return { ...rest, size, mapping: exported }
  const remembered = recallMapping(table.names)
  const guess = remembered ? undefined : await guessTargets(table, traits)
  const found = remembered ?? guess
  const mapping =
    found && !mayPublish() ? { ...found, defaults: { ...found.defaults, publicProduct: false } } : found
  return { contents, size, traits, mapping, guess, isExport: false }
}

/** Guesses a mapping. It treats the name of a picture file as a link, because it becomes one. */
async function guessTargets(table: OpenTable, traits: string[]): Promise<Mapping> {
  const linked = (await sampleRows(table)).map(row => ({
    ...row,
    cells: row.cells.map(cell => (storesPictures && pictureIn(cell) !== undefined ? 'upload:' : cell))
  }))
  return guessMapping(table.names, linked, traits)
}

/** Returns the mapping of an exported table; undefined for any other table. */
function readExport(contents: Contents): Mapping | undefined {
  try {
    return 'table' in contents ? makeExportMapping({ ...contents.table, rows: nothing() }) : undefined
  } catch (error) {
    if (error instanceof FormatError) return undefined
    throw error
  }
}

async function* nothing() {}

async function readTraits(): Promise<string[]> {
  const query = '{ traits(first: 1) { type } }'
  const [schema, { traits }] = await Promise.all([readSchema(), read<{ traits: { type: string }[] }>(query)])
  return [...new Set([...traits.map(({ type }) => type), ...traitNames(schema)])].sort()
}
