// Runs on SQLite only.
import { readFileSync } from 'node:fs'
import {
  buildClientSchema,
  buildSchema,
  type GraphQLInputObjectType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getIntrospectionQuery,
  isEnumType,
  isInputObjectType,
  isObjectType,
  printSchema
} from 'graphql'
import { t } from 'tap'
import { editableFields, fieldNames } from '../../domain/columns.ts'
import { loadParts } from '../../features/load.ts'
import { addToApi, loadApi } from '../../graphql/api.ts'
import { accessToken, query } from '../support/http/http.ts'
import { service } from '../support/service/service.ts'

const text = readFileSync(new URL('../../graphql/schema.graphql', import.meta.url), 'utf8')

/** What has no description, by its place. */
function undescribed(schema: GraphQLSchema): string[] {
  const ours = Object.values(schema.getTypeMap()).filter(
    ({ name }) => !name.startsWith('__') && !['Int', 'String', 'Boolean', 'Float', 'ID'].includes(name)
  )
  return ours.flatMap(type => {
    const parts = isObjectType(type)
      ? Object.values(type.getFields()).flatMap(field => [field, ...field.args])
      : isInputObjectType(type)
        ? Object.values(type.getFields())
        : isEnumType(type)
          ? type.getValues()
          : []
    return [type, ...parts]
      .filter(({ description }) => !description)
      .map(({ name }) => `${type.name}: ${name}`)
  })
}

t.test('introspection returns schema.graphql, and every part has a description', async t => {
  const { url } = await service(t)
  const answer = await query(
    url,
    await accessToken(url),
    getIntrospectionQuery({ inputValueDeprecation: true })
  )
  const told = buildClientSchema(answer.body.data)
  t.equal(printSchema(told), printSchema(buildSchema(text)))
  t.same(undescribed(told), [])
})

t.test('the types of a template have each column that clients may read or write', async t => {
  const schema = buildSchema(text)
  for (const [name, columns] of Object.entries({
    ProductTemplate: fieldNames,
    ProductContents: fieldNames.filter(field => field !== 'id'),
    CreateProductInput: ['id', ...editableFields],
    UpdateProductInput: editableFields,
    ImportProductInput: fieldNames,
    ProductChangeInput: editableFields
  })) {
    const fields = (schema.getType(name) as GraphQLObjectType | GraphQLInputObjectType).getFields()
    t.same(
      columns.filter(column => !(column in fields)),
      [],
      name
    )
  }
})

t.test('every root field has a resolver', async t => {
  const schema = buildSchema(text)
  const { resolvers } = await loadApi(await loadParts('schema', {}), {})
  for (const name of ['Query', 'Mutation', 'Subscription']) {
    const type = schema.getType(name) as GraphQLObjectType
    t.same(Object.keys(resolvers[name] ?? {}).sort(), Object.keys(type.getFields()).sort(), name)
  }
})

t.test('a feature extends a type that is there, also one with interfaces', t => {
  const api = { schema: text, resolvers: {} }
  const { schema } = addToApi(api, 'extend type ProductTemplate {\n  weight: Int\n}\n', {})
  const types = buildSchema(schema).getTypeMap()
  t.ok((types.ProductTemplate as GraphQLObjectType).getFields().weight)
  t.notOk((types.Query as GraphQLObjectType).getFields().weight)
  t.throws(() => addToApi(api, 'extend type Absent {\n  weight: Int\n}\n', {}), /has no type Absent/)
  t.end()
})
