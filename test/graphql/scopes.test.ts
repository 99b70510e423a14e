// Runs on SQLite only: nothing of it depends on the engine.
/** Who asks is known before anything is done with the variables, for every field of the schema. */
import { readFileSync } from 'node:fs'
import { buildSchema, type GraphQLField, type GraphQLObjectType, getNamedType, isLeafType } from 'graphql'
import { t } from 'tap'
import { locate } from '../../runtime/package/package-files.ts'
import { accessToken, graphqlGet, graphqlRequest, responseJson } from '../support/http/http.ts'
import { admin, start, wholeTrail } from '../support/service/administrator.ts'
import { storedTemplates } from '../support/service/service.ts'

const schema = buildSchema(readFileSync(locate('graphql/schema.graphql'), 'utf8'))

type Root = 'query' | 'mutation' | 'subscription'
type Field = GraphQLField<unknown, unknown>

const fieldsOf = (root: Root): Field[] =>
  Object.values((schema.getRootType(root as never) as GraphQLObjectType).getFields())

/** The scope of a field, from the schema. Mutations not of templates are administration, or say their scope. */
function scopeOf(root: Root, { name, description }: Field): 'read' | 'write' | 'admin' {
  const saysWrite = description?.endsWith('Requires the scope `write`.')
  if (root === 'mutation') return /Products?$/.test(name) || saysWrite ? 'write' : 'admin'
  return description?.endsWith('Requires the scope `admin`.') ? 'admin' : 'read'
}

/** Makes an operation that passes a variable for each argument of a field. */
function makeOperation(root: Root, { name, args, type }: Field, more = ''): string {
  const list = (items: string[]) => (items.length > 0 ? `(${items.join(', ')})` : '')
  const definitions = list(args.map(arg => `$${arg.name}: ${arg.type}`))
  const selection = isLeafType(getNamedType(type)) ? '' : '{ __typename }'
  return `${root} ${definitions} { ${name}${list(args.map(arg => `${arg.name}: $${arg.name}`))} ${selection} ${more} }`
}

/** Variables that are wrong for every type, or too many. */
const wrong: Record<string, unknown> = {
  'a wrong type': { wrong: [null] },
  'many values': Array(50_001).fill(0),
  'many filters': { or: Array(10_000).fill({}) },
  'many keys': Object.fromEntries(Array.from({ length: 10_001 }, (_, index) => [`k${index}`, 0])),
  'many levels': JSON.parse(`${'{"not":'.repeat(3000)}{}${'}'.repeat(3000)}`)
}

/** Gives the value to the first argument, or to a variable that the operation does not have. */
const toVariables = ({ args }: Field, value: unknown) => ({ [args[0]?.name ?? 'unused']: value })

/** Starts a service with a token of each kind, and a function that says what they have changed. */
async function withTokens(t: Parameters<typeof start>[0]) {
  const { url, db, tokenOf } = await start(t)
  const tokens = {
    read: await accessToken(url, { scope: 'read' }),
    write: await accessToken(url, { scope: 'write' }),
    'read write': await accessToken(url),
    'read admin': await tokenOf(admin),
    'read write admin': await tokenOf(admin, 'read write admin')
  }
  const readAll = async () => [await wholeTrail(db), await storedTemplates(db)]
  return { url, tokens, readAll }
}

t.test('a field without its scope is refused whatever its variables are', async t => {
  const { url, tokens, readAll } = await withTokens(t)
  const before = await readAll()
  for (const root of ['query', 'mutation'] as const)
    for (const field of fieldsOf(root)) {
      const scope = scopeOf(root, field)
      if (scope === 'read') continue
      const token = scope === 'admin' ? tokens['read write'] : tokens['read admin']
      for (const title of ['a wrong type', 'many filters', 'none']) {
        const value = wrong[title]
        const body = { query: makeOperation(root, field), variables: toVariables(field, value) }
        const response = await graphqlRequest(url, token, body, responseJson)
        t.equal(response.status, 200)
        t.match(
          await response.json(),
          { errors: [{ path: [field.name], extensions: { code: 'FORBIDDEN', reason: 'MISSING_SCOPE' } }] },
          `${field.name}, ${title}`
        )
      }
    }
  for (const root of ['query', 'subscription'] as const)
    for (const field of fieldsOf(root))
      for (const value of [wrong['a wrong type'], undefined]) {
        const body = { query: makeOperation(root, field), variables: toVariables(field, value) }
        t.equal((await graphqlRequest(url, tokens.write, body)).status, 403, field.name)
      }
  t.same(await readAll(), before)
})

t.test('with its scope, the variables are refused, and nothing is written', async t => {
  const { url, tokens, readAll } = await withTokens(t)
  const before = await readAll()
  for (const root of ['query', 'mutation', 'subscription'] as const)
    for (const field of fieldsOf(root))
      for (const [title, value] of Object.entries(wrong)) {
        const variables = toVariables(field, value)
        // Unused variables of a few values are allowed.
        if (field.args.length === 0 && title === 'a wrong type') continue
        const body = { query: makeOperation(root, field), variables }
        const headers = root === 'subscription' ? { accept: 'text/event-stream' } : responseJson
        const response = await graphqlRequest(url, tokens['read write admin'], body, headers)
        const text = await response.text()
        t.match(text, '"code":"BAD_USER_INPUT"', `${field.name}, ${title}`)
        t.ok(text.length < 20_000, 'errors of bounded length')
        t.notMatch(text, '"data"')
      }
  t.same(await readAll(), before)
})

t.test('a token for administration alone administrates', async t => {
  const { url, db, tokenOf } = await start(t)
  const token = await tokenOf(admin, 'admin')
  const invite = 'mutation { inviteUser(input: { email: "new@example.com", role: reader }) { link } }'
  const { data } = (await (await graphqlRequest(url, token, { query: invite })).json()) as {
    data: { inviteUser: { link: string } }
  }
  t.type(data.inviteUser.link, 'string')
  t.equal((await graphqlRequest(url, token, { query: '{ allProducts { id } }' })).status, 403)
  t.same(await storedTemplates(db), [])
})

const create = (directives = '') => `createProduct(input: $input) ${directives} { product { id } }`

t.test('a scope counts for all fields that run, and before any of them does', async t => {
  const { url, tokens, readAll } = await withTokens(t)
  const before = await readAll()
  const ask = async (query: string, token: string, more: object = {}) => {
    const response = await graphqlRequest(url, token, { query, ...more })
    // biome-ignore lint/suspicious/noExplicitAny: the shape is what the test checks
    return (await response.json()) as any
  }
  const values = '{ blockchainId: 1, maxItems: 1, name: "x", data: "{}" }'
  const ok = create().replace('$input', values)
  const link = 'inviteUser(input: { email: "new@example.com", role: reader }) { link }'
  const variable = '($input: CreateProductInput!, $x: Boolean = true)'
  for (const [text, token, path, more] of [
    [`mutation { ${ok} ${link} }`, tokens['read write'], ['inviteUser']],
    [`mutation { ${ok} ${link} }`, tokens['read admin'], ['createProduct']],
    [
      `mutation { a: ${ok} ...F } fragment F on Mutation { ...G ...G } fragment G on Mutation { ... { b: ${link} } }`,
      tokens['read write'],
      ['b']
    ],
    [`mutation ${variable} { ${create('@include(if: $x)')} }`, tokens.read, ['createProduct']],
    [
      `mutation ${variable} { ${create('@skip(if: $x)')} }`,
      tokens.read,
      ['createProduct'],
      { variables: { x: null } }
    ],
    [
      `mutation ($input: CreateProductInput!) { ${create('@include(if: true) @skip(if: false)')} }`,
      tokens.read,
      ['createProduct'],
      { variables: { x: 7 } }
    ],
    [
      `query A { __typename } mutation B($input: CreateProductInput!) { ${create()} }`,
      tokens.read,
      ['createProduct'],
      { operationName: 'B' }
    ],
    [
      `mutation B($input: InviteUserInput!) { inviteUser(input: $input) { link } }`,
      tokens['read write'],
      ['inviteUser']
    ],
    ['query ($first: Int!) { viewer { name } users(first: $first) { nodes { id } } }', tokens.read, ['users']]
  ] as [string, string, string[], object?][]) {
    const { data, errors } = await ask(text, token, more)
    t.match(errors, [{ path, locations: [{}], extensions: { reason: 'MISSING_SCOPE' } }], text)
    t.equal(errors.length, 1)
    t.ok(data === null || Object.values(data).every(value => value === null), text)
  }
  t.same(await readAll(), before)
  const partial = await ask('{ viewer { scopes } user(id: "x") { email } }', tokens.read)
  t.match(partial, { data: { viewer: { scopes: ['read'] }, user: null }, errors: [{ path: ['user'] }] })
  t.same(partial.errors[0].extensions, { code: 'FORBIDDEN', reason: 'MISSING_SCOPE' })
  for (const text of [
    `mutation ($x: Boolean = false) { ... @include(if: $x) { ${ok} } __typename }`,
    `mutation ($x: Boolean! = true) { ... @skip(if: $x) { ${link} } __typename }`,
    `query A { __typename } mutation B($input: CreateProductInput!) { ${create()} }`
  ])
    t.notOk(
      (await ask(text, tokens.read, { operationName: text.startsWith('query') ? 'A' : null })).errors,
      text
    )
  const query = makeOperation('mutation', fieldsOf('mutation')[0] as Field)
  t.equal((await graphqlGet(url, tokens.read, { query, variables: '{"input":[1]}' })).status, 405)
  const users = 'query ($first: Int!) { users(first: $first) { nodes { id } } }'
  const byGet = await graphqlGet(url, tokens.read, { query: users, variables: '{"first":[1]}' })
  t.match(await byGet.json(), { errors: [{ extensions: { reason: 'MISSING_SCOPE' } }] })
  t.equal((await graphqlRequest(url, tokens.read, [{ query }])).status, 400, 'no batches')
})
