import type { ProductTemplateTable } from '../../schema.ts'
import { toIndexEntry } from '../../templates/index/entries.ts'
import type { IndexEntry } from '../engine.ts'
import { hashKey } from './hash-key.ts'
import { toStoredTerms } from './search.ts'

/** What is indexed of a row. */
export type IndexedRow = Pick<ProductTemplateTable, 'id' | 'name' | 'data'>

/** What is inserted into the index for some templates. In few values, since a thread sends it. */
export interface PreparedEntries {
  texts: IndexTexts
  /** Names of traits, each once. */
  types: string[]
  /** The traits: the place of the name in `types`, and what `product_trait` has, each in an array of its own. */
  traits: {
    type: Uint32Array<ArrayBuffer>
    hash: BigInt64Array<ArrayBuffer>
    template: Int32Array<ArrayBuffer>
    key: string[]
  }
}

/** Texts for search and `contains`. Each table has the members of a JSON object: `"id":"text",…`, without its braces. */
export interface IndexTexts {
  terms: string
  names: string
  traits: string
}

/** Prepares the entries of rows. */
export const prepareRows = (rows: IndexedRow[]): PreparedEntries => prepareEntries(rows.map(toIndexEntry))

export function prepareEntries(entries: IndexEntry[]): PreparedEntries {
  const count = entries.reduce((sum, { traits }) => sum + traits.length, 0)
  const traits = {
    type: new Uint32Array(count),
    hash: new BigInt64Array(count),
    template: new Int32Array(count),
    key: new Array<string>(count)
  }
  const types = new Map<string, number>()
  let at = 0
  for (const entry of entries)
    for (const { type, key } of entry.traits) {
      const place = types.get(type) ?? types.size
      types.set(type, place)
      traits.type[at] = place
      traits.hash[at] = hashKey(key)
      traits.template[at] = entry.id
      traits.key[at++] = key
    }
  return { texts: toTexts(entries), types: [...types.keys()], traits }
}

const toTexts = (entries: IndexEntry[]): IndexTexts => ({
  terms: toMembers(entries, ({ terms }) => toStoredTerms(terms)),
  names: toMembers(entries, ({ foldedName }) => foldedName),
  traits: toMembers(entries, ({ traits }) =>
    traits.flatMap(({ key }) => (key.startsWith('S') ? [key.slice(1)] : [])).join('\n')
  )
})

const toMembers = (entries: IndexEntry[], text: (entry: IndexEntry) => string): string =>
  entries.map(entry => `"${entry.id}":${JSON.stringify(text(entry))}`).join()
