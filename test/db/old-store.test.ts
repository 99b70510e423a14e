/**
 * A store of the former program, with the answers that it gave. `old-store/` has one of each engine. They were written at the
 * commit 79a9af1, whose last migration is 0012: by `seed --demo`, and then by updates, a restoration, a deletion, a long
 * document and a new template.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { sql } from 'kysely'
import { t } from 'tap'
import { openDatabase } from '../../db/connect.ts'
import { migrations } from '../../db/migrate.ts'
import type { AnyDb } from '../../db/schema.ts'
import { productTemplates } from '../../index.ts'
import { demo } from '../../seeds/credentials.ts'
import { databaseUrl, engine, migratedUrl, onServer } from '../support/database/database.ts'
import { accessToken, basic, query } from '../support/http/http.ts'
import { host } from '../support/service/service.ts'

const read = (name: string) => readFile(new URL(`old-store/${name}`, import.meta.url))
/** Lists the triggers of a store, and the functions that they call. */
async function listTriggers(db: AnyDb) {
  const statement =
    engine === 'sqlite'
      ? sql`select name, sql as text from sqlite_schema where type = 'trigger' order by name`
      : sql`select proname as name, prosrc as text from pg_proc where proname like 'product%'
          union all select tgname, pg_get_triggerdef(oid) from pg_trigger where not tgisinternal order by name, text`
  const { rows } = await statement.execute(db)
  // A dump of PostgreSQL has other parentheses.
  return rows.map(row => JSON.stringify(row).replaceAll(/\\n|[\s()]/g, ''))
}

const unpack = async (name: string) => promisify(gunzip)(await read(name))

t.test('a store of the former program is migrated, and gives the same answers', async t => {
  const url = await databaseUrl(t)
  if (engine === 'sqlite') await writeFile(url.slice('sqlite:'.length), await unpack('sqlite.db.gz'))
  else await onServer(url, String(await unpack('postgres.sql.gz')))
  const db = await openDatabase(url)
  t.teardown(() => db.destroy())
  const steps = await (db as AnyDb)
    .selectFrom('product_migration_step')
    .select('name')
    .orderBy('name')
    .execute()
  const later = Object.keys(migrations).filter(name => name > '0013')
  t.same(steps.map(({ name }) => name).slice(-later.length), later)

  const fresh = (await openDatabase(await migratedUrl(t))) as AnyDb
  t.teardown(() => fresh.destroy())
  t.same(await listTriggers(db as AnyDb), await listTriggers(fresh), 'the triggers of a new store')

  const app = host(t)
  await app.register(productTemplates, { db })
  const origin = await app.listen({ port: 0, host: '127.0.0.1' })
  const token = await accessToken(
    origin,
    { username: demo.email, password: demo.password },
    { authorization: basic(demo.clientId, demo.clientSecret) }
  )
  const text = String(await read('query.graphql'))
  const { data } = JSON.parse(`{ "data": ${await read(`${engine}.json`)} }`)
  t.same((await query(origin, token, text)).body, { data })

  const written = await query(
    origin,
    token,
    `mutation { updateProduct(id: 42, input: { name: "Changed after the migration" }, expectedRevision: 1) {
      product { revision revisions(first: 2) { nodes { number action } } } userErrors { message }
    } }`
  )
  t.match(written.body.data.updateProduct, {
    product: {
      revision: 2,
      revisions: {
        nodes: [
          { number: 2, action: 'UPDATE' },
          { number: 1, action: 'CREATE' }
        ]
      }
    },
    userErrors: []
  })
  const found = await query(
    origin,
    token,
    '{ products(where: { search: "migration" }) { nodes { id } } changes(first: 50) { nodes { id revision action } } }'
  )
  t.same(found.body.data.products.nodes, [{ id: 42 }])
  t.same(found.body.data.changes.nodes.at(-1), { id: 42, revision: 2, action: 'UPDATE' })
})
