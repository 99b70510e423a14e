/**
 * The schema and the entities that a gateway of Apollo Federation 2 reads,
 * https://www.apollographql.com/docs/graphos/schema-design/federated-schemas/reference/subgraph-spec
 */
import { isInt } from '../../domain/columns.ts'
import type { FieldDemands } from '../../graphql/admission/demands.ts'
import { type Api, addToApi, type SchemaChange } from '../../graphql/api.ts'
import { badInput } from '../../graphql/errors.ts'
import { cacheableField, type FieldContext } from '../../graphql/fields.ts'
import { findVisibleTemplates } from '../../graphql/resolvers/product.ts'
import { findSelectedFields } from '../../graphql/selection.ts'

/** The additions to the schema. */
const subgraphTypes = `
"The key of an entity: \`{ __typename: \\"ProductTemplate\\", id: 12 }\`."
scalar _Any

"The types that other subgraphs may refer to."
union _Entity = ProductTemplate

"The schema for gateways."
type _Service {
  "The schema with the directives of Apollo Federation."
  sdl: String!
}

extend type Query {
  "The schema for gateways."
  _service: _Service!
  "The templates with these keys, in the same order; null for each that does not exist."
  _entities("The keys of the templates." representations: [_Any!]!): [_Entity]!
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

/** Adds the fields for gateways to the schema and the resolvers. */
function extendSchema(api: Api): Api {
  const sdl = toSdl(api.schema)
  const _service = cacheableField({}, async () => ({ sdl }))
  return addToApi(api, subgraphTypes, {
    Query: { _service, _entities },
    _Entity: { resolveType: () => 'ProductTemplate' }
  })
}

/** Gateways read the whole schema. */
export const schema: SchemaChange = { extendSchema, isLast: true }

/** Maximum documents that all `_entities` of an operation read into memory: 15 pages of `products`. */
const maxDocuments = 1500

const documentsOf = new WeakMap<FieldContext, number>()

/** Throws BAD_USER_INPUT if an operation reads too many documents. */
function countDocuments(context: FieldContext, more: number): void {
  const count = (documentsOf.get(context) ?? 0) + more
  if (count > maxDocuments)
    throw badInput(`the operation reads the documents of more than ${maxDocuments} representations`)
  documentsOf.set(context, count)
}

const entityDemands: FieldDemands = {
  items: ({ args: { representations } }) => (representations as unknown[]).length
}

/** Resolves templates by their keys, in a few statements. */
const _entities = cacheableField(
  entityDemands,
  async (_root, args: { representations: unknown[] }, context, info) => {
    const ids = args.representations.map(readId)
    const fields = findSelectedFields(info)
    if (fields.has('data')) countDocuments(context, ids.length)
    const found = await findVisibleTemplates([...new Set(ids)], fields, context)
    return ids.map(id => found.get(id) ?? null)
  }
)

/** Throws BAD_USER_INPUT if a representation is not the key of a template. */
function readId(representation: unknown, index: number): number {
  const { __typename, id } = Object(representation) as Record<string, unknown>
  if (__typename !== 'ProductTemplate')
    throw badInput(`representations[${index}].__typename must be ProductTemplate`)
  if (!isInt(id)) throw badInput(`representations[${index}].id must be an Int`)
  return id
}
