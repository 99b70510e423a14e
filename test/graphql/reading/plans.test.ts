/** How the engines find what is asked for: by indexes, whatever the filter. */
import Sqlite from 'better-sqlite3'
import { type Dialect, Kysely, sql } from 'kysely'
import { type Test, t } from 'tap'
import { engineOf } from '../../../db/dialects/engine.ts'
import { openPostgres } from '../../../db/dialects/postgres/open.ts'
import { SqliteDialect } from '../../../db/dialects/sqlite/dialect.ts'
import { migrate } from '../../../db/migrate.ts'
import type { Database } from '../../../db/schema.ts'
import { planFilter } from '../../../db/templates/plan/plan-filter.ts'
import { countTemplates } from '../../../db/templates/read/count.ts'
import { postgresDefaults } from '../../../db/url.ts'
import { toCursor } from '../../../graphql/input/paging.ts'
import { productTemplates } from '../../../index.ts'
import { engine, migratedUrl } from '../../database.ts'
import { accessToken, query } from '../../http.ts'
import { addClient, addUser, cheapHash, host } from '../../service.ts'
import { restate, type Statement } from '../../statement.ts'
import { addAwkwardTemplates } from './store.ts'

/** The service on a store of which every statement is heard. */
async function heard(t: Test) {
  const statements: Statement[] = []
  const url = await migratedUrl(t)
  const dialect: Dialect =
    engine === 'sqlite'
      ? new SqliteDialect(new Sqlite(url.slice('sqlite:'.length)))
      : await openPostgres(url, { ...postgresDefaults, databasePoolSize: 2 })
  const db = new Kysely<Database>({
    dialect,
    log: ({ query }) => void statements.push(query)
  })
  t.teardown(() => db.destroy())
  await migrate(db)
  await addUser(db)
  await addClient(db)
  await addAwkwardTemplates(db, 1300)
  const app = host(t)
  await app.register(productTemplates, { db, ...cheapHash })
  const origin = await app.listen({ port: 0, host: '127.0.0.1' })
  const token = await accessToken(origin)
  const during = async (text: string, variables: object) => {
    statements.length = 0
    const { body } = await query(origin, token, text, { variables })
    if (body.errors) throw new Error(JSON.stringify(body.errors))
    // The token, the state of the index and the versions are asked for, too, and hashes are computed in the background.
    return statements.filter(
      ({ sql }) =>
        !/product_signing_key|product_template_index|product_revision|^select "name".* from "product_version"/.test(
          sql
        )
    )
  }
  return { db, during }
}

/** The steps of a plan, a line each. */
async function plan(db: Kysely<Database>, logged: Statement): Promise<string> {
  const statement = restate(logged)
  if (engine === 'sqlite') {
    const { rows } = await sql<{ detail: string }>`explain query plan ${statement}`.execute(db)
    const steps = rows.map(({ detail }) => detail)
    // What is looked through first goes by the name of the table, too.
    const named = steps.includes('CO-ROUTINE product_template')
    return steps.filter(step => !(named && step === 'SCAN product_template')).join('\n')
  }
  return db.connection().execute(async connection => {
    // A small table is read as a whole unless that is forbidden: what is left then has no index.
    await sql`set enable_seqscan = off`.execute(connection)
    const { rows } = await sql<{ 'QUERY PLAN': string }>`explain ${statement}`.execute(connection)
    await sql`reset enable_seqscan`.execute(connection)
    return rows.map(row => row['QUERY PLAN']).join('\n')
  })
}

/** The parameters at which SQLite starts to read an index. */
async function entered(db: Kysely<Database>, statement: Statement): Promise<unknown[]> {
  const { rows } = await sql<{
    opcode: string
    p1: number
    p2: number
    p3: number
  }>`explain ${restate(statement)}`.execute(db)
  return rows.flatMap(({ opcode, p3 }, at) => {
    const start = rows.slice(0, at).findLast(row => row.opcode === 'Variable' && row.p2 === p3)
    return /^Seek(GE|GT)$/.test(opcode) && start ? [statement.parameters[start.p1 - 1]] : []
  })
}

/** A whole table, without an index that has all it takes. */
const wholeTable =
  engine === 'sqlite'
    ? /SCAN product_(template|trait|search\w*)\b(?! USING COVERING|( EXISTS)? VIRTUAL TABLE INDEX \d+:.)/
    : /Seq Scan on product_(?!(store|version)\b)/

const page = `query($where: ProductTemplateFilter, $orderBy: ProductTemplateOrder) {
  products(first: 50, where: $where, orderBy: $orderBy) { nodes { id } }
}`

const filters = [
  {},
  { id: { in: [3, 6] } },
  { name: { equals: 'x 6' } },
  { name: { contains: 'oak' } },
  { name: { startsWith: 'amb' } },
  { componentName: { equals: 'TrackingRecord' } },
  { blockchainId: { equals: 2 } },
  { publicProduct: { equals: true } },
  { maxItems: { lt: 5 } },
  { timeCreated: { gte: '2026-01-01T00:00:00Z' } },
  { timeModified: { lt: '2026-01-01T00:00:00Z' } },
  { trait: { type: 'MadeIn', equals: 'Portugal' } },
  { trait: { type: 'MadeIn', in: ['Portugal', 'Port'] } },
  { trait: { type: 'Note', contains: 'long' } },
  { trait: { type: 'Note', contains: 'none' } },
  { name: { contains: 'none' } },
  { trait: { type: 'MadeIn', exists: true } },
  { trait: { type: 'MadeIn', exists: false } },
  { search: 'rare' },
  { search: 'common text' },
  { and: [{ search: 'rare' }, { publicProduct: { equals: true } }] },
  { or: [{ search: 'rare' }, { trait: { type: 'MadeIn', equals: 'Port' } }] },
  { not: { search: 'common' } }
]

t.test('a page is found by indexes, whatever the filter and the order', async t => {
  const { db, during } = await heard(t)
  for (const where of filters) {
    for (const statement of await during(page, { where }))
      t.notMatch(await plan(db, statement), wholeTable, JSON.stringify(where))
  }
  for (const field of ['TIME_MODIFIED', 'TIME_CREATED', 'NAME', 'ID']) {
    for (const direction of ['ASC', 'DESC']) {
      const [statement] = await during(page, { orderBy: { field, direction } })
      t.ok(statement)
      const steps = await plan(db, statement as Statement)
      t.notMatch(steps, wholeTable)
      t.notMatch(steps, /TEMP B-TREE|Sort/, `${field} ${direction} needs no sorting`)
    }
  }
})

t.test(
  'in the order of ids, an index has what is tested, whatever is read of the matches',
  { skip: engine === 'postgres' && 'its planner reads an index alone only in a larger table' },
  async t => {
    const { db, during } = await heard(t)
    const covering = /^(SEARCH|SCAN) product_template USING COVERING INDEX product_template_by_id/
    for (const fields of ['id name', 'id data']) {
      for (const direction of ['ASC', 'DESC']) {
        const variables = { where: { maxItems: { equals: 7 } }, orderBy: { field: 'ID', direction } }
        const statements = await during(page.replace('{ id }', `{ ${fields} }`), variables)
        const tests = statements.filter(({ sql }) => sql.includes('max_items'))
        t.ok(tests.length > 0)
        for (const test of tests) t.match(await plan(db, test), covering, `${fields} ${direction}`)
      }
    }
  }
)

t.test(
  'the first rows of an order are looked at without sorting, however rare a match is said to be',
  async t => {
    const { db, during } = await heard(t)
    await engineOf(db).analyze(db)
    // In the order of ids, PostgreSQL sorts the templates of the page once more, after a join.
    for (const field of ['TIME_MODIFIED', 'TIME_CREATED', 'NAME']) {
      for (const direction of ['ASC', 'DESC']) {
        const variables = { where: { maxItems: { equals: 99 } }, orderBy: { field, direction } }
        const look = (await during(page, variables)).find(({ sql }) => sql.includes('max_items'))
        t.notMatch(await plan(db, look as Statement), /TEMP B-TREE|Sort/, `${field} ${direction}`)
      }
    }
  }
)

t.test(
  'the most selective condition is resolved by its index, the others are tested on those rows',
  async t => {
    const { db, during } = await heard(t)
    const trait = { type: 'MadeIn', contains: 'Po' }
    const where = { and: [{ search: 'common' }, { trait }, { name: { equals: 'x 6' } }] }
    const statements = await during(page, { where })
    const lists = statements.filter(({ sql }) => sql.includes('found (id)'))
    t.ok(lists.length > 0)
    const [tested] = lists.filter(({ sql }) => sql.includes('product_template where id in'))
    t.ok(tested, 'what one condition found is asked for the others')
    if (engine === 'sqlite')
      t.match(await plan(db, tested as Statement), /product_trait_template \(template_id=\? AND type_id=\?/)
  }
)

t.test('few templates that an index lists are counted, looked up and sorted by one statement', async t => {
  const { during } = await heard(t)
  const rare = { trait: { type: 'MadeIn', equals: 'Portugal' } }
  for (const where of [rare, { and: [{ publicProduct: { equals: true } }, rare] }]) {
    const statements = await during(page, { where })
    const [only, another] = statements.filter(({ sql }) => sql.includes('product_trait'))
    t.match(only?.sql, /counted.*order by/s, JSON.stringify(where))
    t.notOk(another)
  }
})

t.test(
  'few templates are looked up in the index that lists them, not in that of another condition or of the order',
  { skip: engine !== 'sqlite' && 'PostgreSQL looks them up by id' },
  async t => {
    const { db, during } = await heard(t)
    const all = {
      timeModified: { gte: '2020-01-01T00:00:00Z' },
      timeCreated: { gte: '2020-01-01T00:00:00Z' }
    }
    const few = {
      modified: {
        rare: { timeModified: { gte: '2030-01-01T00:00:00Z' } },
        bound: '2030-01-01T00:00:00.000000Z'
      },
      name: { rare: { name: { startsWith: 'none' } }, bound: 'none' },
      id: { rare: { id: { gte: 100_000 } }, bound: 100_000 }
    }
    const keys = { TIME_MODIFIED: '2020-01-01T00:00:00.000000Z', NAME: '', ID: 0 }
    const text = `query($where: ProductTemplateFilter, $orderBy: ProductTemplateOrder, $after: String) {
      products(first: 5, after: $after, where: $where, orderBy: $orderBy) { nodes { id } }
    }`
    for (const [index, { rare, bound }] of Object.entries(few)) {
      for (const [name, key] of Object.entries(keys)) {
        const orderBy = { field: name as keyof typeof keys, direction: 'ASC' as const }
        const variables = { where: { and: [rare, all] }, orderBy, after: toCursor(orderBy, { key, id: 0 }) }
        const counted = (await during(text, variables)).find(({ sql }) => sql.includes('counted'))
        const steps = await plan(db, counted as Statement)
        const searches = steps.match(/SEARCH product_template .*/g) ?? []
        t.equal(searches.length, 2)
        for (const search of searches)
          t.match(search, `product_template_by_${index} (`, `in order of ${name}`)
        t.same(await entered(db, counted as Statement), [bound, bound], 'not from the position')
      }
    }
  }
)

t.test(
  'too many templates for that are not listed',
  { skip: engine !== 'postgres' && 'the server makes the list before it is needed' },
  async t => {
    const { db, during } = await heard(t)
    // Each with a filter of its own: candidates are not counted twice in a while.
    for (const [field, type] of [
      ['ID', 'MadeIn'],
      ['NAME', 'Note']
    ]) {
      const variables = { where: { trait: { type, exists: true } }, orderBy: { field, direction: 'ASC' } }
      const counted = (await during(page, variables)).find(({ sql }) => sql.includes('counted'))
      const rows = await db.connection().execute(async connection => {
        await sql`set enable_seqscan = off`.execute(connection)
        await sql`set enable_bitmapscan = off`.execute(connection)
        const explained = await sql<{
          'QUERY PLAN': string
        }>`explain (analyze) ${restate(counted as Statement)}`.execute(connection)
        await sql`reset all`.execute(connection)
        return explained.rows.map(row => row['QUERY PLAN'])
      })
      const read = rows.map(row => Number(/actual .*rows=([\d.]+)/.exec(row)?.[1] ?? 0))
      t.equal(Math.max(...read), 501, rows.join('\n'))
    }
  }
)

t.test('what many templates match is counted once in a while, not for each page', async t => {
  const { during } = await heard(t)
  const where = { trait: { type: 'MadeIn', exists: true } }
  const counts = async () =>
    (await during(page, { where })).filter(({ sql }) => sql.includes('candidates')).length
  t.equal(await counts(), 1)
  t.equal(await counts(), 0)
})

t.test('matches are counted without a list of their ids', async t => {
  const { during } = await heard(t)
  const text = 'query($where: ProductTemplateFilter) { products(first: 1, where: $where) { totalCount } }'
  for (const where of [{ search: 'common' }, { trait: { type: 'MadeIn', exists: true } }])
    for (const { sql } of await during(text, { where })) t.notMatch(sql, /json_group_array|array_to_json/)
})

t.test('a rare condition costs little, however many templates there are', async t => {
  const { db } = await heard(t)
  let cost = 0
  const meter = {
    spend(more: number) {
      cost += more
    },
    turn: async () => {}
  }
  const rare = { timeCreated: { gte: '2025-12-29T09:24:30.000000Z' } }
  await countTemplates(db, planFilter(db, rare, 1_000_000), meter)
  t.ok(cost < 1000, `counted for ${cost}`)
  const list = Array.from({ length: 100 }, (_, index) => `none ${index}`)
  const expensive = Array.from({ length: 8 }, () => ({ not: { trait: { type: 'MadeIn', in: list } } }))
  const plan = planFilter(db, { and: [rare, ...expensive] }, 100_000)
  const few = await plan.findFew(2000, meter)
  t.ok(few && few.ids.length > 0, 'found, although too many to test all others on them at once')
})

t.test('facets are counted by indexes', async t => {
  const { db, during } = await heard(t)
  const facets =
    'query($where: ProductTemplateFilter) { traits(where: $where) { type values { text count } } }'
  for (const where of [null, { search: 'rare' }, { trait: { type: 'MadeIn', equals: 'Portugal' } }]) {
    const statements = await during(facets, { where })
    t.ok(statements.some(({ sql }) => sql.includes('product_trait')))
    for (const statement of statements) t.notMatch(await plan(db, statement), wholeTable)
  }
})

t.test('templates are counted only if totalCount is selected', async t => {
  const { during } = await heard(t)
  // The first operation measures the store.
  await during('{ __typename }', {})
  await during('{ products { nodes { id } } }', {})
  const counts = (statements: Statement[]) => statements.filter(({ sql }) => /count\(/i.test(sql)).length
  t.equal(
    counts(await during('{ products { nodes { id } pageInfo { hasNextPage hasPreviousPage } } }', {})),
    0
  )
  t.equal(counts(await during('{ products { totalCount } }', {})), 1)
})
