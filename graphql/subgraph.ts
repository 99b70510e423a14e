/**
 * What a gateway of Apollo Federation 2 reads of a subgraph,
 * https://www.apollographql.com/docs/graphos/schema-design/federated-schemas/reference/subgraph-spec
 */

import type { GraphQLResolveInfo } from 'graphql'
import { statementCost } from '../db/templates/costs.ts'
import { maxInt } from '../db/templates/table/columns.ts'
import {
  type FoundTemplate,
  findProductTemplates,
  type TemplateFields
} from '../db/templates/table/product-templates.ts'
import { badInput, type Context } from './context.ts'
import { type FieldDemands, withDemands } from './demands.ts'
import type { Operation } from './execution/operation.ts'
import { selectedFields } from './execution/reading.ts'
import { costOfItems, resolveSlices } from './paging.ts'

/** What is added to the schema. */
const subgraphTypes = `
"The key of an entity: \`{ __typename: \\"ProductTemplate\\", id: 12 }\`."
scalar _Any

"What other subgraphs refer to."
union _Entity = ProductTemplate

"The schema for gateways."
type _Service {
  "With the directives of Apollo Federation."
  sdl: String!
}

extend type Query {
  "The schema for gateways."
  _service: _Service!
  "The templates with these keys, in their order; null for each that does not exist."
  _entities("Their keys." representations: [_Any!]!): [_Entity]!
}
`

/** Adds the directives of Federation to the schema of the service. */
const toSdl = (schema: string): string =>
  `extend schema @link(url: "https://specs.apollo.dev/federation/v2.0", import: ["@key", "@shareable"])\n\n${schema
    .replace(
      '\ntype ProductTemplate implements Node {',
      '\ntype ProductTemplate implements Node @key(fields: "id") {'
    )
    .replace('\ntype PageInfo {', '\ntype PageInfo @shareable {')}`

interface Api {
  schema: string
  resolvers: { Query: object }
}

/** Adds what gateways read to the schema and the resolvers. */
export function toSubgraph({ schema, resolvers }: Api): Api {
  const sdl = toSdl(schema)
  const _service = withDemands({ cost: () => 0, isCacheable: true }, () => ({ sdl }))
  const types = {
    Query: { ...resolvers.Query, _service, _entities: withDemands(entityDemands, resolveEntities) },
    _Entity: { resolveType: () => 'ProductTemplate' }
  }
  return { schema: schema + subgraphTypes, resolvers: { ...resolvers, ...types } }
}

/** Templates that are read together. A filter may have 500 conditions. */
const atOnce = 200

/** Documents that all `_entities` of an operation read. They are in memory, so they are at most 15 pages of `products`. */
const maxDocuments = 1500

const documentsOf = new WeakMap<Operation, number>()

/** Throws BAD_USER_INPUT if an operation reads too many documents. */
function countDocuments(operation: Operation, more: number): void {
  const count = (documentsOf.get(operation) ?? 0) + more
  if (count > maxDocuments)
    throw badInput(`the operation reads the documents of more than ${maxDocuments} representations`)
  documentsOf.set(operation, count)
}

const entityDemands: FieldDemands = {
  cost: ({ given: { representations }, costOf }) => costOf((representations as unknown[]).length),
  listsTemplates: true,
  isCacheable: true
}

/** Resolves templates by their keys, in a few statements. */
async function resolveEntities(
  _root: unknown,
  { representations }: { representations: unknown[] },
  context: Context,
  info: GraphQLResolveInfo
) {
  const { operation } = context
  const ids = representations.map(readId)
  const fields = selectedFields(info)
  if (fields.has('data')) countDocuments(operation, ids.length)
  operation.spend(costOfItems(ids.length, info))
  const found = await operation.evaluate(() => findTemplates([...new Set(ids)], fields, context))
  return resolveSlices(ids.map(id => found.get(id) ?? null))({}, context)
}

/** Throws BAD_USER_INPUT if a representation is not the key of a template. */
function readId(representation: unknown, index: number): number {
  const { __typename, id } = Object(representation) as Record<string, unknown>
  if (__typename !== 'ProductTemplate')
    throw badInput(`representations[${index}].__typename must be ProductTemplate`)
  if (!Number.isInteger(id) || Math.abs(id as number) > maxInt)
    throw badInput(`representations[${index}].id must be an Int`)
  return id as number
}

/** Finds the templates that the caller sees. */
async function findTemplates(ids: number[], fields: TemplateFields, { operation, reading }: Context) {
  const found = new Map<number, FoundTemplate>()
  for (let start = 0; start < ids.length; start += atOnce) {
    const plan = await reading.plan({ id: { in: ids.slice(start, start + atOnce) } })
    const seen = await plan.matches(operation)
    operation.spend(statementCost)
    await operation.turn()
    for (const [id, template] of await findProductTemplates(reading.db, [...seen], fields))
      found.set(id, template)
  }
  return found
}
