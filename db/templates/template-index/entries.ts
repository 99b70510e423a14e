/** Makes the index entries of templates, and writes the entries of templates that are indexed again. */
import { isDeepStrictEqual } from 'node:util'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { parseDocument } from '../../../domain/document.ts'
import { yieldToEventLoop } from '../../../runtime/event-loop.ts'
import { engineOf } from '../../dialects/engine.ts'
import type { IndexEntry } from '../../dialects/template-index.ts'
import type { Db, ProductTemplateTable, Transaction } from '../../schema.ts'
import { foldName, indexTerms, nameColumns, productIdTerm, toTraitEntries } from '../filter/keys.ts'

/** Templates indexed per turn of the event loop, which takes about 10 ms on SQLite. */
const batchSize = 25
/** Maximum characters of documents indexed per turn; a single document may be longer. */
const maxCharactersAtOnce = 100_000

/** Makes the index entry of a changed template; undefined if the entry stays the same. */
export function toChangedEntry(after: IndexedColumns, before: IndexedColumns): IndexEntry | undefined {
  if (after.name === before.name && after.data === before.data) return undefined
  const [contents, former] = [indexedContents(after), indexedContents(before)]
  if (isDeepStrictEqual(contents, former)) return undefined
  return {
    ...makeEntry(contents),
    hasSameName: contents.name === former.name,
    hasSameTraits: isDeepStrictEqual(contents.attributes, former.attributes)
  }
}

/** Reindexes locked templates, and removes the entries in `among` that have no template. */
export async function reindexTemplates(
  transaction: Transaction,
  locked: number[],
  among: IdRange
): Promise<void> {
  const { index } = engineOf(transaction)
  await removeDeleted(transaction, among)
  for (let start = 0; start < locked.length; start += batchSize) {
    const rows = await transaction
      .selectFrom('product_template')
      .select(['id', 'name', 'name_folded', 'name_key', 'data'])
      .where('id', 'in', locked.slice(start, start + batchSize))
      .execute()
    for (const group of groupBySize(rows, ({ data }) => data.length)) {
      await index.write(transaction, {
        ids: group.map(({ id }) => id),
        statements: group.flatMap(row => correctName(transaction, row)),
        entries: group.map(toIndexEntry)
      })
      await yieldToEventLoop()
    }
  }
  await sql`select ${index.resumeMarking}`.execute(transaction)
}

/** A list of ids, or all ids greater than `above` and at most `upTo`. */
type IdRange = number[] | { above: number; upTo: number }

/** Removes the entries in `among` that have no template. */
export async function removeDeleted(transaction: Transaction, among: IdRange): Promise<void> {
  const { index, syntax } = engineOf(transaction)
  const isAmong = (id: RawBuilder<unknown>) =>
    Array.isArray(among)
      ? syntax.isOneOf(id, among)
      : sql<SqlBool>`${id} > ${among.above} and ${id} <= ${among.upTo}`
  const stored = sql`select id from product_template where ${isAmong(sql.ref('id'))}`
  for (const [table, column] of Object.entries(index.idColumns)) {
    const id = sql.ref(column)
    await sql`delete from ${sql.table(table)} where ${isAmong(id)} and ${id} not in (${stored})`.execute(
      transaction
    )
  }
}

/** Locks templates until the transaction ends, in ascending order of their ids. Returns the ids of those that exist. */
export async function lockIds(transaction: Transaction, ids: number[]): Promise<number[]> {
  const { lockRows, isOneOf } = engineOf(transaction).syntax
  const rows = await transaction
    .selectFrom('product_template')
    .select('id')
    .where(isOneOf(sql.ref('id'), ids))
    .orderBy('id')
    .modifyEnd(lockRows)
    .execute()
  return rows.map(({ id }) => id)
}

/** Groups items, so that long documents are indexed in several turns. */
export function groupBySize<Item>(items: Item[], sizeOf: (item: Item) => number): Item[][] {
  const groups: Item[][] = []
  let left = 0
  for (const item of items) {
    left -= sizeOf(item)
    if (groups.length > 0 && left >= 0) groups.at(-1)?.push(item)
    else {
      groups.push([item])
      left = maxCharactersAtOnce - sizeOf(item)
    }
  }
  return groups
}

function correctName(db: Db, { id, name, name_folded, name_key }: NamedRow) {
  const right = nameColumns(name)
  if (right.name_folded === name_folded && right.name_key === name_key) return []
  return db.updateTable('product_template').set(right).where('id', '=', id)
}

/** The columns that are indexed. */
type IndexedColumns = Pick<ProductTemplateTable, 'id' | 'name' | 'data'>

type NamedRow = Pick<ProductTemplateTable, 'id' | 'name' | 'name_folded' | 'name_key'>

/** Makes the index entry of a template from its row. */
export const toIndexEntry = (row: IndexedColumns): IndexEntry => makeEntry(indexedContents(row))

/** Reads the entries of a template in the index. */
function indexedContents({ id, name, data }: IndexedColumns) {
  const { attributes = [], description, productId = null } = parseDocument(data) ?? {}
  return { id, name, attributes, description: description ?? '', productId }
}

function makeEntry(contents: ReturnType<typeof indexedContents>): IndexEntry {
  const { id, name, attributes, description, productId } = contents
  const texts = [name, description, attributes.map(({ text }) => text).join(' ')]
  return {
    id,
    foldedName: foldName(name),
    traits: toTraitEntries(attributes),
    // Joined, because attributes may be more than the arguments that fit on the stack.
    terms: [...indexTerms(...texts), ...(productId === null ? [] : [productIdTerm(productId)])]
  }
}
