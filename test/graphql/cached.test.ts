/** Which responses are cached: only those that depend on the templates alone, whatever their resolvers read. */
import { AsyncLocalStorage } from 'node:async_hooks'
import {
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLOutputType,
  getNamedType,
  isLeafType,
  isNonNullType,
  isObjectType
} from 'graphql'
import { t } from 'tap'
import { productTemplates } from '../../index.ts'
import { hostDatabase } from '../support/database/host-database.ts'
import { accessToken, query } from '../support/http/http.ts'
import { addClient, addTemplates, addUser, cheapHash, host, testLimits } from '../support/service/service.ts'
import { schema } from './generate.ts'

/** What changes when the version of the templates does, or has nothing that a response shows. */
const ofTemplates =
  /^product_(template|template_past|template_index|template_pending|revision|search.*|trait.*|version)$/

/** Values of the required arguments. */
const values: Record<string, string> = {
  id: '1',
  number: '2',
  from: '1',
  to: '2',
  nodeId: '"WyJQcm9kdWN0VGVtcGxhdGUiLDFd"',
  nodeIds: '["WyJQcm9kdWN0VGVtcGxhdGUiLDFd"]',
  hash: '"44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"',
  search: '"emplat"',
  fields: '[COMPONENT_NAME]'
}

/** Selects all fields without arguments, down to a depth. */
function select(type: GraphQLOutputType, depth = 4): string {
  const named = getNamedType(type)
  if (isLeafType(named)) return ''
  if (!isObjectType(named)) return '{ nodeId }'
  const fields = Object.values(named.getFields()).filter(
    ({ args, type }) => args.length === 0 && (depth > 0 || isLeafType(getNamedType(type)))
  )
  return `{ __typename ${fields.map(({ name, type }) => `${name} ${select(type, depth - 1)}`).join(' ')} }`
}

function call({ name, args, type }: GraphQLField<unknown, unknown>): string {
  const given = args.filter(({ type, defaultValue }) => isNonNullType(type) && defaultValue === undefined)
  const list = given.map(({ name }) => `${name}: ${values[name]}`).join(', ')
  return `{ ${name}${list && `(${list})`} ${select(type)} }`
}

t.test('a response is cached only if its resolvers read the templates alone', async t => {
  const { db: opened } = await hostDatabase(t)
  await addUser(opened)
  await addClient(opened)
  await addTemplates(opened, { id: 1, data: '{}' })
  const tables = (await opened.introspection.getTables()).map(({ name }) => name)
  // The tables that a request reads. The service also reads some for itself.
  let read = new Set<string>()
  const ofRequest = new AsyncLocalStorage<Set<string>>()
  const db = opened.withPlugin({
    transformQuery({ node }) {
      for (const [name] of JSON.stringify(node).matchAll(/\bproduct_\w+/g)) ofRequest.getStore()?.add(name)
      return node
    },
    transformResult: async ({ result }) => result
  })
  const app = host(t)
  app.addHook('preHandler', (_request, _reply, done) => ofRequest.run(read, done))
  await app.register(productTemplates, { db, ...cheapHash, ...testLimits })
  const origin = await app.listen({ port: 0, host: '127.0.0.1' })
  const token = await accessToken(origin)
  // Its revision has an author.
  await query(
    origin,
    token,
    'mutation { updateProduct(id: 1, input: { name: "Template" }) { product { id } } }'
  )
  const ask = async (source: string) => {
    read = new Set()
    const { body } = await query(origin, token, source)
    return {
      errors: body.errors,
      tables: [...read].filter(name => tables.includes(name) && name !== 'product_version')
    }
  }
  const [cached, failed]: [string[], string[]] = [[], []]
  const fields = Object.values((schema.getQueryType() as GraphQLObjectType).getFields())
  const administration = fields.filter(({ description }) => description?.includes('the scope `admin`'))
  for (const field of fields) {
    const source = call(field)
    await ask(source)
    const { errors, tables } = await ask(source)
    const again = await ask(source)
    if (errors) failed.push(field.name)
    else if (again.tables.length === 0) {
      cached.push(field.name)
      t.same(
        tables.filter(name => !ofTemplates.test(name)),
        [],
        field.name
      )
    }
  }
  t.same(
    failed,
    administration.map(({ name }) => name),
    'FORBIDDEN'
  )
  const expected = ['allProducts', 'product', 'revisionDiff', 'products', 'traits']
  t.same(cached, [...expected, 'searchSuggestion', 'facets', 'node', 'nodes'], 'otherwise, add the new field')
})
