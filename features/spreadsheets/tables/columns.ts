import { fieldNames, type ProductTemplate } from '../../../domain/columns.ts'
import { readPointer } from '../../../domain/validation/problem.ts'
import { tryParseJson } from '../../../runtime/json-values.ts'
import { findNearest } from '../../../runtime/nearest.ts'
import { readText, writeText } from './cell.ts'
import { DocumentCells, parseTableDocument } from './document.ts'

const fields: string[] = fieldNames

/** A column: a field, a key of the document, or a trait. */
export interface TableColumn {
  header: string
  kind: 'field' | 'key' | 'trait'
  name: string
}

const makeFieldColumn = (name: string): TableColumn => ({ header: name, kind: 'field', name })

const prefixes = { key: 'document.', trait: 'trait:' }

/** Makes the column of a key of the document or of a trait. */
const makeDocumentColumn = (kind: 'key' | 'trait', name: string): TableColumn => ({
  header: prefixes[kind] + writeName(name),
  kind,
  name
})

/** Writes a name as a text in a cell. An empty name has no quotes. */
const writeName = (name: string): string => name && writeText(name)
const readName = (text: string): string => readText(text) ?? ''

/** Reads the header of a column as `export` writes it; undefined for any other header. */
export function readColumn(header: string): TableColumn | undefined {
  for (const kind of ['key', 'trait'] as const)
    if (header.startsWith(prefixes[kind]))
      return makeDocumentColumn(kind, readName(header.slice(prefixes[kind].length)))
  return fields.includes(header) ? makeFieldColumn(header) : undefined
}

/** Describes why {@link readColumn} does not know a header. */
export function describeUnknown(header: string): string {
  const near = findNearest(header.slice(0, 40), fields)
  return `a column must be a field, document.… or trait:…${near ? `: did you mean ${near}?` : ''}`
}

/** Returns the header of the column that has a problem; undefined if no column has it. */
export function locateProblem(
  { path: [field = ''], pointer }: { path: string[]; pointer: string | null },
  columns: TableColumn[],
  data: unknown
): string | undefined {
  const find = (kind: TableColumn['kind'], name: unknown) =>
    columns.find(column => column.kind === kind && column.name === name)?.header
  if (field !== 'data') return find('field', field)
  const [key = '', index] = readPointer(pointer ?? '')
  const trait = key === 'attributes' && index !== undefined ? findTrait(data, Number(index)) : undefined
  return find('trait', trait) ?? find('key', key) ?? find('field', 'data')
}

function findTrait(data: unknown, index: number): unknown {
  const { attributes } = Object(tryParseJson(String(data)))
  return Object(attributes?.[index]).trait_type
}

const plainFields = fieldNames.filter(field => field !== 'data')
const usualKeys = ['productId', 'description', 'external_url', 'image', 'name', 'component']

/** Maximum number of columns that spreadsheets can open. */
const maxColumns = 16_384
/** Maximum number of cells in a table, if it has more than `fewColumns`. */
const maxCells = 2 ** 24
const fewColumns = 1000
/** Maximum number of names that are counted, and maximum characters of a name that has a column. */
const maxNames = 2 ** 17
const maxNameLength = 1000

/**
 * Finds the columns of templates. If there would be too many for a spreadsheet, the rarest keys and traits have none:
 * one odd document must not make the table of all others useless. `note` describes the keys and traits without a
 * column; it is empty if there are none.
 */
export async function findColumns(
  pages: AsyncIterable<ProductTemplate[]>,
  withoutData = false
): Promise<{ columns: TableColumn[]; note: string }> {
  const found = new NameCounts()
  let count = 0
  for await (const templates of pages) {
    count += templates.length
    for (const { data } of templates) found.add(data)
  }
  const fixed = [...plainFields.map(makeFieldColumn), ...(withoutData ? [] : [makeFieldColumn('data')])]
  const limit = Math.min(maxColumns, Math.max(fewColumns, Math.floor(maxCells / count))) - fixed.length
  const { chosen, omitted } = found.choose(limit)
  const rest = withoutData ? 'export ndjson to keep them' : 'the column data has them'
  const last = withoutData ? [] : fixed.splice(-1)
  return {
    columns: [...fixed, ...chosen.map(({ kind, name }) => makeDocumentColumn(kind, name)), ...last],
    note: omitted === 0 ? '' : `${omitted} rare keys and traits have no column: ${rest}`
  }
}

interface Name {
  kind: 'key' | 'trait'
  name: string
}

/** Counts the documents that have a key or a trait. Keys that must have a column count as infinitely frequent. */
class NameCounts {
  readonly #counts = {
    key: new Map<string, number>(usualKeys.map(key => [key, Number.POSITIVE_INFINITY])),
    trait: new Map<string, number>()
  }
  #omitted = 0

  add(data: string): void {
    const document = parseTableDocument(data)
    if (!document) return
    const cells = new DocumentCells(document)
    for (const name of cells.keys) this.#count({ kind: 'key', name })
    for (const name of cells.traits) this.#count({ kind: 'trait', name })
    for (const counts of Object.values(this.#counts)) this.#forgetRare(counts)
  }

  #count({ kind, name }: Name): void {
    const counts = this.#counts[kind]
    if (name.length > maxNameLength) this.#omitted++
    else if (kind === 'key' && name === 'attributes') counts.set(name, Number.POSITIVE_INFINITY)
    else counts.set(name, (counts.get(name) ?? 0) + 1)
  }

  /** Forgets the rarest names, so that memory is bounded. */
  #forgetRare(counts: Map<string, number>): void {
    const before = counts.size
    for (let rare = 1; counts.size > maxNames; rare *= 2)
      for (const [name, count] of counts) if (count <= rare) counts.delete(name)
    this.#omitted += before - counts.size
  }

  /** Chooses the most frequent names, in the order in which they were found, keys first. */
  choose(limit: number): { chosen: Name[]; omitted: number } {
    const names = (['key', 'trait'] as const).flatMap(kind =>
      Array.from(this.#counts[kind], ([name, count]) => ({ kind, name, rarity: 1 / count }))
    )
    const kept = new Set(names.toSorted((one, other) => one.rarity - other.rarity).slice(0, limit))
    const chosen = names.filter(name => kept.has(name))
    return { chosen, omitted: this.#omitted + names.length - chosen.length }
  }
}
