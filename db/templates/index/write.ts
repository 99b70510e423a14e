import { setImmediate } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { sql } from 'kysely'
import { engineOf } from '../../dialects/engine.ts'
import type { IdRange, IndexEntry } from '../../dialects/interface.ts'
import { prepared } from '../../dialects/prepared.ts'
import type { Db, ProductTemplateTable } from '../../schema.ts'
import { foldedName, nameColumns, productIdTerm, searchTerms } from '../filter/keys.ts'
import { takeTurn } from '../meter.ts'
import type { ProductTemplate } from '../table/columns.ts'
import { parseDocument } from '../table/document.ts'
import { toRow, type UnindexedRow } from '../table/product-templates.ts'
import type { DeferredEntries } from './deferred-entries.ts'
import { findUnknown, toTraitEntries } from './trait-entries.ts'

/** Templates indexed per turn of the event loop, which takes about 10 ms on SQLite. */
const batchSize = 25
/** Maximum characters of documents indexed per turn; a single document may be longer. */
const maxCharactersAtOnce = 100_000

/** Inserts at most 500 templates, because the engines limit the number of parameters. `db` is a transaction. */
export const insertProductTemplates = (db: Db, templates: ProductTemplate[]): Promise<void> =>
  insertRows(db, templates.map(toRow))

/** Like {@link insertProductTemplates}, for rows, which may come from another database. */
export async function insertRows(db: Db, rows: UnindexedRow[]): Promise<void> {
  const { index } = engineOf(db)
  const ids = rows.map(({ id }) => id)
  await index.write(db, ids, async () => {
    const named = rows.map(row => ({ ...row, ...nameColumns(row.name) }))
    await db.insertInto('product_template').values(named).execute()
    // The index may still have entries of templates with these ids that plain SQL has deleted.
    await index.replace(db, rows.map(toIndexEntry))
  })
}

/** Gives locked templates new values; `db` is a transaction. With `deferred`, their index entries are collected there. */
export async function updateProductTemplates(
  db: Db,
  changes: { before: ProductTemplate; after: ProductTemplate }[],
  deferred?: DeferredEntries
): Promise<void> {
  const { index } = engineOf(db)
  const ids = changes.map(({ after }) => after.id)
  await index.write(db, ids, async () => {
    for (const { after, before } of changes) await updateRow(db, after, before)
    for (const group of groupBySize(changes, ({ after }) => after.data.length)) {
      const changed = group.flatMap(({ after, before }) => changedEntry(after, before) ?? [])
      const characters = group.reduce((sum, { after }) => sum + after.data.length, 0)
      if (deferred) await deferred.add(db, changed, characters)
      else if (changed.length > 0) await index.replace(db, changed)
      await takeTurn()
    }
  })
}

/** Sets only columns that differ. Otherwise the engines would write the others again, and SQLite also their indexes. */
async function updateRow(db: Db, after: ProductTemplate, before: ProductTemplate): Promise<void> {
  const former: Record<string, unknown> = toRow(before)
  const values = Object.entries(toRow(after)).filter(([column, value]) => value !== former[column])
  const changed = Object.fromEntries(values) as Partial<UnindexedRow>
  if (values.length === 0) return
  await prepared(db)
    .updateTable('product_template')
    .set(changed.name === undefined ? changed : { ...changed, ...nameColumns(changed.name) })
    .where('id', '=', after.id)
    .execute()
}

/** Makes the index entry of a changed template; undefined if the entry stays the same. */
function changedEntry(after: Indexed, before: Indexed): IndexEntry | undefined {
  if (after.name === before.name && after.data === before.data) return undefined
  const [contents, former] = [indexedContents(after), indexedContents(before)]
  if (isDeepStrictEqual(contents, former)) return undefined
  const entry = makeEntry(contents)
  const formerTraits = toTraitEntries(former.attributes)
  return {
    ...entry,
    hasSameName: contents.name === former.name,
    changedTraits: {
      removed: findUnknown(entry.traits, formerTraits),
      added: findUnknown(formerTraits, entry.traits)
    }
  }
}

/** Reindexes locked templates, and removes the entries in `among` that have no template; `db` is a transaction. */
export async function reindexTemplates(db: Db, locked: number[], among: IdRange): Promise<void> {
  const { index } = engineOf(db)
  await index.removeDeleted(db, among)
  for (let start = 0; start < locked.length; start += batchSize) {
    const batch = locked.slice(start, start + batchSize)
    await index.write(db, batch, async () => {
      const rows = await db
        .selectFrom('product_template')
        .select(['id', 'name', 'name_folded', 'name_key', 'data'])
        .where('id', 'in', batch)
        .execute()
      for (const row of rows) await correctName(db, row)
      for (const group of groupBySize(rows, ({ data }) => data.length)) {
        await index.replace(db, group.map(toIndexEntry))
        await takeTurn()
      }
    })
    await setImmediate()
  }
}

/** Locks templates until the transaction ends. Returns the ids of those that exist. */
export async function lockTemplates(db: Db, ids: number[]): Promise<number[]> {
  const { lockRows, isOneOf } = engineOf(db).syntax
  const rows = await db
    .selectFrom('product_template')
    .select('id')
    .where(isOneOf(sql.ref('id'), ids))
    .modifyEnd(lockRows)
    .execute()
  return rows.map(({ id }) => id)
}

/** Groups items, so that long documents are indexed in several turns. */
function groupBySize<Item>(items: Item[], sizeOf: (item: Item) => number): Item[][] {
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

async function correctName(db: Db, { id, name, name_folded, name_key }: NamedRow): Promise<void> {
  const right = nameColumns(name)
  if (right.name_folded === name_folded && right.name_key === name_key) return
  await db.updateTable('product_template').set(right).where('id', '=', id).execute()
}

/** The columns that are indexed. */
type Indexed = Pick<ProductTemplateTable, 'id' | 'name' | 'data'>

type NamedRow = Pick<ProductTemplateTable, 'id' | 'name' | 'name_folded' | 'name_key'>

/** Makes the index entry of a template from its row. */
export const toIndexEntry = (row: Indexed): IndexEntry => makeEntry(indexedContents(row))

/** Reads what the index has of a template. */
function indexedContents({ id, name, data }: Indexed) {
  const { attributes = [], description, productId = null } = parseDocument(data) ?? {}
  return { id, name, attributes, description: description ?? '', productId }
}

function makeEntry({
  id,
  name,
  attributes,
  description,
  productId
}: ReturnType<typeof indexedContents>): IndexEntry {
  const texts = [name, description, attributes.map(({ text }) => text).join(' ')]
  return {
    id,
    foldedName: foldedName(name),
    traits: toTraitEntries(attributes),
    // Joined, because attributes may be more than the arguments that fit on the stack.
    terms: [...searchTerms(...texts), ...(productId === null ? [] : [productIdTerm(productId)])]
  }
}
