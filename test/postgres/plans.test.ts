// Runs on PostgreSQL only, in test:all only.
/** PostgreSQL's plans with little memory on 20,000 templates: no step is repeated for each row of another one. */
import { Kysely, sql } from 'kysely'
import { type Test, t } from 'tap'
import { openPostgres } from '../../db/dialects/postgres/open.ts'
import { migrate } from '../../db/migrate.ts'
import type { Database } from '../../db/schema.ts'
import { transact } from '../../db/transaction.ts'
import { postgresDefaults } from '../../db/url.ts'
import { defaultValues } from '../../domain/columns.ts'
import { formatTimestamp } from '../../domain/timestamp.ts'
import { migrations } from '../../features/database.ts'
import { productTemplates } from '../../index.ts'
import { databaseUrl } from '../support/database/database.ts'
import { insertProductTemplates } from '../support/database/insert.ts'
import { restate, type Statement } from '../support/database/statement.ts'
import { accessToken, query } from '../support/http/http.ts'
import { addClient, addUser, cheapHash, host, testLimits } from '../support/service/service.ts'

const count = 20_000
/** A plan that goes through the traits of every template a few times visits so many rows. */
const maxRowsVisited = 12 * count

interface Node {
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  'Rows Removed by Join Filter'?: number
  Plans?: Node[]
}

const visited = (node: Node): number =>
  (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Join Filter'] ?? 0)) *
    node['Actual Loops'] +
  (node.Plans ?? []).reduce((sum, inner) => sum + visited(inner), 0)

async function addTemplates(db: Kysely<Database>): Promise<void> {
  const template = (id: number) => ({
    ...defaultValues,
    id,
    blockchainId: id % 5,
    maxItems: 1 + (id % 1000),
    name: `template ${id}`,
    publicProduct: id % 3 === 0,
    timeCreated: formatTimestamp(1_767_000_000_000_000 + ((id * 7919) % count) * 1_000_000),
    timeModified: formatTimestamp(1_767_000_000_000_000 + ((id * 104_729) % count) * 1_000_000),
    data: JSON.stringify({
      description: `word${id % 50} common`,
      attributes: [
        ...(id % 2 ? [{ trait_type: 'MadeIn', value: id % 4 === 1 ? 'Peru' : 'Kenya' }] : []),
        { trait_type: 'Note', value: `note ${id} of ${id % 7}` }
      ]
    })
  })
  await transact(db, async transaction => {
    for (let start = 0; start < count; start += 500)
      await insertProductTemplates(
        transaction,
        Array.from({ length: 500 }, (_, index) => template(start + index))
      )
  })
}

/** A service of which every statement is heard, with its answers' statements explained on a poor server. */
async function explained(t: Test) {
  const statements: Statement[] = []
  const dialect = await openPostgres(await databaseUrl(t), { ...postgresDefaults, databasePoolSize: 2 })
  const db = new Kysely<Database>({ dialect, log: ({ query }) => void statements.push(query) })
  t.teardown(() => db.destroy())
  await migrate(db, migrations)
  await addUser(db)
  await addClient(db)
  await addTemplates(db)
  const app = host(t)
  await app.register(productTemplates, { db, ...cheapHash, ...testLimits })
  const origin = await app.listen({ port: 0, host: '127.0.0.1' })
  const token = await accessToken(origin)
  return async (text: string, where: object): Promise<[string, number][]> => {
    statements.length = 0
    const { body } = await query(origin, token, text, { variables: { where } })
    if (body.errors) throw new Error(JSON.stringify(body.errors))
    const heard = statements
      .filter(statement => /product_(template|trait|search)/.test(statement.sql))
      .slice()
    return db.connection().execute(async connection => {
      await sql`set work_mem = '64kB'`.execute(connection)
      const costs: [string, number][] = []
      for (const statement of heard)
        costs.push([statement.sql, visited(await explain(connection, statement))])
      return costs
    })
  }
}

async function explain(db: Kysely<Database>, statement: Statement): Promise<Node> {
  const { rows } = await sql<{
    'QUERY PLAN': string
  }>`explain (analyze, format json) ${restate(statement)}`.execute(db)
  return JSON.parse(rows[0]?.['QUERY PLAN'] ?? '[]')[0].Plan
}

const filters = [
  {},
  { trait: { type: 'MadeIn', exists: false } },
  { not: { trait: { type: 'MadeIn', exists: true } } },
  { not: { search: 'common' } },
  { not: { trait: { type: 'Note', contains: 'of' } } },
  { and: [{ search: 'common' }, { trait: { type: 'MadeIn', equals: 'Peru' } }] },
  { and: [{ trait: { type: 'MadeIn', equals: 'Peru' } }, { trait: { type: 'MadeIn', equals: 'Kenya' } }] },
  { or: [{ trait: { type: 'MadeIn', equals: 'Peru' } }, { search: 'word7' }, { maxItems: { lt: 3 } }] },
  { and: [{ not: { search: 'common' } }, { not: { trait: { type: 'MadeIn', exists: false } } }] },
  { name: { contains: '9' } },
  { publicProduct: { equals: true }, maxItems: { gt: 500 } }
]

t.test('no statement visits many more rows than there are', async t => {
  const explainAll = await explained(t)
  const text = `query($where: ProductTemplateFilter) {
    products(first: 50, where: $where) { nodes { id } totalCount pageInfo { hasNextPage hasPreviousPage } }
    allProducts(where: $where) { id }
    traits(where: $where) { type values { text count } }
  }`
  for (const where of filters) {
    const costs = await explainAll(text, where)
    t.ok(costs.length > 1)
    const [worst, rows] = costs.toSorted((one, other) => other[1] - one[1])[0] as [string, number]
    t.ok(rows < maxRowsVisited, `${JSON.stringify(where)}: ${rows} rows by ${worst.slice(0, 200)}`)
  }
})
