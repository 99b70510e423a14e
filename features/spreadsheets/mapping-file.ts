import { readFile, writeFile } from 'node:fs/promises'
import { boolean, exact, integer, oneOf, string } from 'decoders'
import { columns, type DefaultValues, defaultValues } from '../../domain/columns.ts'
import { anyObject, checkArgument, nullable, optional, type Shaped } from '../../runtime/validator.ts'
import { UsageError } from '../../terminal/command.ts'
import { throwFileError } from '../../terminal/output.ts'
import { listNotations } from './notations/guess.ts'
import { notations } from './notations/normalize.ts'
import { findExpected } from './notations/numbers.ts'
import { guessMapping } from './tables/guess.ts'
import { isKey, kinds, type Mapping } from './tables/mapping.ts'
import { sampleRows } from './tables/sample.ts'
import type { Table } from './tables/table.ts'

const kindNames = Object.keys(kinds)
const target = exact({
  to: string,
  as: oneOf(kindNames),
  notation: optional(string),
  needsUnit: optional(boolean)
})
const column = nullable(
  target.refine(
    ({ to, as, notation, needsUnit = false }) =>
      (notation === undefined || (listNotations(as) as readonly string[]).includes(notation)) &&
      (!needsUnit || findExpected(as, to) !== undefined),
    ''
  )
)
const values = { integer, boolean, text: string }
const defaultNames = Object.keys(defaultValues) as (keyof DefaultValues)[]
const defaults = defaultNames.map(name => [
  name,
  optional<unknown>(values[columns[name].type as keyof typeof values])
])
const describeNotations = (): string =>
  Object.entries(notations)
    .map(([kind, names]) => `notation of ${kind} is ${names.join(' or ')}`)
    .join(', ')
const mappingShape = {
  // `record` refuses a column with the name `__proto__`.
  columns: anyObject
    .refine(columns => Object.values(columns).every(each => column.decode(each).ok), '')
    .describe(
      `an object: for each column null or { "to", "as" }, with as one of ${kindNames.join(', ')}; ${describeNotations()}; needsUnit is only for a "to" with a unit`
    ),
  defaults: exact(Object.fromEntries(defaults)).describe(
    `an object with ${defaultNames.slice(0, -1).join(', ')} and ${defaultNames.at(-1)}`
  ),
  key: nullable(string.refine(isKey, '')).describe('id, productId, name or trait:… of a column, or null')
}

/** Reads a mapping; undefined if the file does not exist. Throws UsageError or ArgumentError for a wrong mapping. */
export async function readMapping(path: string): Promise<Mapping | undefined> {
  const text = await readFile(path, 'utf8').catch(error => {
    if (error.code === 'ENOENT') return undefined
    throw new UsageError(`cannot read ${path}: ${error.code}`)
  })
  if (text === undefined) return undefined
  const given: Shaped<typeof mappingShape> = checkArgument(path, mappingShape, parseMapping(path, text))
  return given as Mapping
}

function parseMapping(path: string, text: string): unknown {
  try {
    // Editors on Windows write a byte order mark.
    return JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch {
    throw new UsageError(`${path} is not valid JSON`)
  }
}

/** Guesses the mapping of a table and writes it to a new file. */
export async function writeGuess(path: string, table: Table, traits: Iterable<string>): Promise<void> {
  const mapping = guessMapping(table.names, await sampleRows(table), traits)
  await writeFile(path, `${JSON.stringify(mapping, null, 2)}\n`, { flag: 'wx' }).catch(throwFileError(path))
}
