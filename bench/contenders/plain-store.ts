/** A straightforward schema and resolvers: one statement of Kysely per field, on a SQLite file or a PostgreSQL URL. */
import Database from 'better-sqlite3'
import { type Dialect, Kysely, PostgresDialect, SqliteDialect } from 'kysely'
import pg from 'pg'
import type { Database as Tables } from '../../db/schema.ts'

const store = process.argv[2] as string
const db = new Kysely<Tables>({ dialect: store.startsWith('postgres') ? openPostgres() : openSqlite() })

function openSqlite(): Dialect {
  return new SqliteDialect({ database: new Database(store, { readonly: true }) })
}

function openPostgres(): Dialect {
  // A Date would lose three digits.
  pg.types.setTypeParser(pg.types.builtins.TIMESTAMPTZ, formatUtc)
  return new PostgresDialect({ pool: new pg.Pool({ connectionString: store, options: '-c TimeZone=UTC' }) })
}

/** Converts `2025-01-01 00:00:00.12+00` to `2025-01-01T00:00:00.120000Z`. */
function formatUtc(text: string): string {
  const [time = '', fraction = ''] = text.slice(11, -3).split('.')
  return `${text.slice(0, 10)}T${time}.${fraction.padEnd(6, '0')}Z`
}

export const typeDefs = `
  type ProductTemplate {
    id: Int!
    blockchainId: Int!
    maxItems: Int!
    name: String!
    publicProduct: Boolean!
    componentName: String!
    timeCreated: String!
    timeModified: String!
    data: String!
  }

  type ProductTemplateConnection {
    nodes: [ProductTemplate!]!
  }

  input IntFilter {
    equals: Int
  }

  input ProductTemplateFilter {
    blockchainId: IntFilter
  }

  type Query {
    product(id: Int!): ProductTemplate
    products(first: Int, where: ProductTemplateFilter): ProductTemplateConnection!
    allProducts(limit: Int, offset: Int): [ProductTemplate!]!
  }
`

const selectTemplates = () =>
  db
    .selectFrom('product_template')
    .select([
      'id',
      'blockchain_id as blockchainId',
      'max_items as maxItems',
      'name',
      'public_product as publicProduct',
      'component_name as componentName',
      'time_created as timeCreated',
      'time_modified as timeModified',
      'data'
    ])

const selectNewest = () => selectTemplates().orderBy('time_modified', 'desc').orderBy('id', 'desc')

const toTemplate = <Row extends { publicProduct: number }>(row: Row) => ({
  ...row,
  publicProduct: row.publicProduct === 1
})

async function product(_: unknown, { id }: { id: number }) {
  const row = await selectTemplates().where('id', '=', id).executeTakeFirst()
  return row && toTemplate(row)
}

async function products(
  _: unknown,
  { first = 50, where }: { first?: number; where?: { blockchainId?: { equals?: number } } }
) {
  const blockchainId = where?.blockchainId?.equals
  let query = selectNewest().limit(first)
  if (blockchainId !== undefined) query = query.where('blockchain_id', '=', blockchainId)
  return { nodes: (await query.execute()).map(toTemplate) }
}

async function allProducts(_: unknown, { limit, offset = 0 }: { limit?: number; offset?: number }) {
  let query = selectNewest()
  if (limit !== undefined) query = query.limit(limit).offset(offset)
  return (await query.execute()).map(toTemplate)
}

export const resolvers = { Query: { product, products, allProducts } }
