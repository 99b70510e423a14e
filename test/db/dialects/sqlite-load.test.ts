// Runs on SQLite only, alone, in test:all only.
/** A large load on SQLite. */
import { sql } from 'kysely'
import { t } from 'tap'
import type { Db } from '../../../db/schema.ts'
import { beginRebuild, continueRebuild } from '../../../db/templates/template-index/rebuild.ts'
import { transact } from '../../../db/transaction.ts'
import type { ProductTemplate } from '../../../domain/columns.ts'
import { openDatabase } from '../../../features/database.ts'
import { awkwardTemplates } from '../../graphql/reading/store.ts'
import { insertProductTemplates } from '../../support/database/insert.ts'

const batchSize = 100
const templates = awkwardTemplates(2500)

async function load(db: Db, read: () => Iterable<ProductTemplate[]>): Promise<void> {
  await transact(db, async transaction => {
    for (const batch of read()) await insertProductTemplates(transaction, batch)
  })
}

function* batches(): Generator<ProductTemplate[]> {
  for (let start = 0; start < templates.length; start += batchSize)
    yield templates.slice(start, start + batchSize)
}

/** Reads what the tables of the index contain. */
async function readIndex(db: Db): Promise<unknown[]> {
  const { rows: traits } =
    await sql`select template_id, type, cast(hash as text) as hash, key from product_trait
    join product_trait_type on id = type_id order by template_id, type, hash`.execute(db)
  const { rows: terms } = await sql`select rowid, terms from product_search order by rowid`.execute(db)
  const trigrams: unknown[] = []
  for (const table of ['product_search_name', 'product_search_trait']) {
    await sql`create virtual table temp.vocabulary using fts5vocab('main', ${sql.table(table)}, 'row')`.execute(
      db
    )
    trigrams.push((await sql`select term, doc from temp.vocabulary order by term`.execute(db)).rows)
    await sql`drop table temp.vocabulary`.execute(db)
  }
  return [traits, terms, trigrams]
}

t.test('a large load makes the same index as a rebuild, without a thread', async t => {
  const db = await openDatabase('sqlite::memory:')
  t.teardown(() => db.destroy())
  let threads = 0
  const count = () => threads++
  process.on('worker', count)
  t.teardown(() => process.off('worker', count))
  await load(db, batches)
  t.equal(threads, 0)
  const loaded = await readIndex(db)
  await beginRebuild(db)
  await continueRebuild(db)
  t.same(loaded, await readIndex(db))
})

t.test('a large load that fails leaves the store empty', async t => {
  const db = await openDatabase('sqlite::memory:')
  t.teardown(() => db.destroy())
  await t.rejects(
    load(db, function* () {
      yield* batches()
      throw new Error('the input ends early')
    }),
    /ends early/
  )
  t.same(await db.selectFrom('product_template').select('id').execute(), [])
})
