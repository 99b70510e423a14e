// Runs in test:all only.
/** How the engines find what is asked for: by indexes, whatever the filter. */
import { createHash } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import { type Test, t } from 'tap'
import { engineOf } from '../../../db/dialects/engine.ts'
import type { Database } from '../../../db/schema.ts'
import { fields } from '../../../db/templates/filter/filter.ts'
import { completeRevisions } from '../../../db/templates/revisions/hashes.ts'
import { columns, type FieldName } from '../../../domain/columns.ts'
import { productTemplates } from '../../../index.ts'
import { engine } from '../../support/database/database.ts'
import { hostDatabase } from '../../support/database/host-database.ts'
import { onlyOn } from '../../support/database/only-on.ts'
import { restate, type Statement } from '../../support/database/statement.ts'
import { accessToken, query } from '../../support/http/http.ts'
import { addClient, addUser, cheapHash, host, testLimits } from '../../support/service/service.ts'
import { addAwkwardTemplates } from './store.ts'

/** The service on a store of which every statement is heard. */
async function heard(t: Test) {
  const statements: Statement[] = []
  const { db } = await hostDatabase(t, { log: ({ query }) => void statements.push(query) })
  await addUser(db)
  await addClient(db)
  await addAwkwardTemplates(db, 1300)
  // Otherwise the background would read documents beside a request.
  await completeRevisions(db)
  const app = host(t)
  await app.register(productTemplates, { db, ...cheapHash, ...testLimits })
  const origin = await app.listen({ port: 0, host: '127.0.0.1' })
  const token = await accessToken(origin)
  const during = async (text: string, variables: object) => {
    statements.length = 0
    const { body } = await query(origin, token, text, { variables })
    if (body.errors) throw new Error(JSON.stringify(body.errors))
    // The token, the state of the index, the versions and the statistics of the store are asked for, too; webhooks and
    // hashes in the background.
    const other =
      /product_signing_key|product_template_index|hash"? is null|from product_version|product_webhook|documentBytes|1 from product_trait limit/
    return statements.filter(({ sql }) => !other.test(sql))
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
  { trait: { type: 'MadeIn', date: { gte: '2026-03-01', lte: '2026-03-31' } } },
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

t.test('a page reads only the documents that its own fields need', async t => {
  const { during } = await heard(t)
  const readsDocuments = async (fields: string) =>
    (await during(`{ products(first: 2) { nodes { id ${fields} } } }`, {})).some(({ sql }) =>
      sql.includes('then data end')
    )
  t.equal(await readsDocuments('hash'), true)
  t.equal(await readsDocuments('revisions { nodes { hash contents { name } } }'), false)
})

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

onlyOn(
  'sqlite',
  'in the order of ids, an index has what is tested, whatever is read of the matches',
  async t => {
    const { db, during } = await heard(t)
    // Not a covering index if documents are read: SQLite reads them after the test.
    const covering = /^(SEARCH|SCAN) product_template USING (COVERING )?INDEX product_template_by_id/
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

const samples: Record<string, object> = {
  IntFilter: { gt: 0 },
  StringFilter: { equals: 'TrackingRecord' },
  BooleanFilter: { equals: false },
  TimeFilter: { gt: '2020-01-01T00:00:00Z' }
}

onlyOn('sqlite', 'each index of an order has each column that can be filtered', async t => {
  const { db, during } = await heard(t)
  for (const [name, { input, accessPath }] of Object.entries(fields)) {
    if (accessPath === 'templateIndex') continue
    const sample = samples[input]
    t.ok(sample, `there is a sample for ${name}`)
    for (const field of ['TIME_MODIFIED', 'TIME_CREATED', 'NAME', 'ID']) {
      const orderBy = { field, direction: 'DESC' }
      const found = await during(page, { where: { not: { [name]: sample } }, orderBy })
      const plans = await Promise.all(found.map(statement => plan(db, statement)))
      const walks = plans.filter(steps => steps.includes('SCAN product_template'))
      t.ok(walks.length > 0)
      for (const steps of walks)
        t.notMatch(steps, /SCAN product_template (?!USING COVERING)/, `${name} in ${field}`)
    }
  }
})

onlyOn('postgres', 'an index has each column that can be filtered and has none of its own', async t => {
  const { db } = await heard(t)
  const { rows } = await sql<{ definition: string }>`select indexdef as definition from pg_indexes
      where indexname = 'product_template_filtered'`.execute(db)
  for (const [name, { accessPath }] of Object.entries(fields)) {
    if (accessPath !== 'scan') continue
    t.match(rows[0]?.definition, new RegExp(`\\b${columns[name as FieldName].column}\\b`), name)
  }
})

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
    const tested = statements.find(({ sql }) =>
      /select id from product_template where "product_template"\."id" (in|= any)/.test(sql)
    )
    t.ok(tested, 'what one condition found is asked for the others')
    if (engine === 'sqlite')
      t.match(await plan(db, tested as Statement), /product_trait_template \(template_id=\? AND type_id=\?/)
  }
)

t.test('a hash, or its beginning, is looked up in its index, and nothing is sorted', async t => {
  const { db, during } = await heard(t)
  const data = '{"description":"Oak","attributes":[]}'
  const hash = createHash('sha256').update(data).digest('hex')
  for (const digits of [8, 64]) {
    const statements = await during('query($hash: String!) { revisionByHash(hash: $hash) { number } }', {
      hash: hash.slice(0, digits)
    })
    const lookUp = statements.find(({ sql }) => sql.includes('max(sequence)'))
    t.ok(lookUp)
    const steps = await plan(db, lookUp as Statement)
    t.match(steps, /product_revision_hash/)
    t.notMatch(steps, wholeTable)
    t.notMatch(steps, /TEMP B-TREE|Sort/)
  }
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
  const counts = (statements: Statement[]) => statements.filter(({ sql }) => /count\(/i.test(sql)).length
  t.equal(
    counts(await during('{ products { nodes { id } pageInfo { hasNextPage hasPreviousPage } } }', {})),
    0
  )
  t.equal(counts(await during('{ products { totalCount } }', {})), 1)
})
