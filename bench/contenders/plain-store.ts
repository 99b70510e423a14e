/** A straightforward schema and resolver: Kysely reads all templates for each request. */
import Database from 'better-sqlite3'
import { Kysely, SqliteDialect } from 'kysely'
import type { Database as Tables } from '../../db/schema.ts'

const file = process.argv[2] as string
const db = new Kysely<Tables>({
  dialect: new SqliteDialect({ database: new Database(file, { readonly: true }) })
})

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

  type Query {
    allProducts: [ProductTemplate!]!
  }
`

async function allProducts() {
  const rows = await db
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
    .orderBy('time_modified', 'desc')
    .orderBy('id', 'desc')
    .execute()
  return rows.map(row => ({ ...row, publicProduct: row.publicProduct === 1 }))
}

export const resolvers = { Query: { allProducts } }
