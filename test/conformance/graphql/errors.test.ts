// Runs on SQLite only: the tests of test/graphql send whole and broken requests to both engines.
/** What an error tells the caller, and what only the log. */
import type { KyselyPlugin } from 'kysely'
import { t } from 'tap'
import { openDatabase } from '../../../features/database.ts'
import { migratedUrl } from '../../support/database/database.ts'
import { accessToken, graphqlRequest, query, refusal, responseJson } from '../../support/http/http.ts'
import { loggedService } from '../../support/service/log.ts'
import { serve } from '../../support/service/process.ts'
import { addClient, addTemplates, addUser, database, service } from '../../support/service/service.ts'

const masked = {
  message: 'internal server error',
  path: ['allProducts'],
  extensions: { code: 'INTERNAL_SERVER_ERROR', id: /^[0-9a-f-]{36}$/ }
}

t.test('Q12 a database error is masked, and its id finds it in the log', async t => {
  const { url, db, lines } = await loggedService(t)
  const token = await accessToken(url)
  // From here on, the cost of an operation is known.
  await query(url, token, '{ product(id: 1) { id } }')
  await db.schema.alterTable('product_template').renameTo('gone').execute()
  const { status, body } = await query(url, token, '{ allProducts { id } }')
  t.equal(status, 200)
  t.same(Object.keys(body), ['errors', 'data'])
  t.match(body, { data: null, errors: [masked] })
  t.same(Object.keys(body.errors[0]).sort(), ['extensions', 'locations', 'message', 'path'])
  t.notMatch(JSON.stringify(body), /product_template|sqlite|no such|select/i)
  const strict = await graphqlRequest(url, token, { query: '{ allProducts { id } }' }, responseJson)
  t.equal(strict.status, 200, 'it was executed')
  const found = lines.filter(({ errorId }) => errorId === body.errors[0].extensions.id)
  t.match(found, [{ msg: 'a resolver failed', level: 50, err: { message: /product_template/ } }])
})

t.test('Q12 an operation whose cost is unknown does not run, and the log tells why', async t => {
  const { url, db, lines } = await loggedService(t)
  const token = await accessToken(url)
  // The cost depends on the number of revisions.
  await db.schema.alterTable('product_revision').renameTo('gone').execute()
  for (const text of ['{ allProducts { id } }', 'mutation { deleteProduct(id: 1) { product { id } } }']) {
    const { status, body } = await query(url, token, text)
    t.equal(status, 500)
    t.match(body, { errors: [{ message: masked.message, extensions: masked.extensions }] })
    t.notOk(body.data)
    const found = lines.filter(({ errorId }) => errorId === body.errors[0].extensions.id)
    t.match(found, [{ level: 50, err: { message: /product_revision/ } }])
  }
  t.equal((await query(url, token, '{ __typename }')).status, 200, 'introspection needs no database')
})

t.test('Q12 a stored value of a wrong type is masked', async t => {
  const whole = await database(t)
  await addTemplates(whole, {})
  const damaged: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => ({
      ...result,
      rows: result.rows.map(row => ('maxItems' in row ? { ...row, maxItems: 5_000_000_000 } : row))
    })
  }
  const { url, lines } = await loggedService(t, { db: whole.withPlugin(damaged) })
  const { body } = await query(url, await accessToken(url), '{ allProducts { maxItems } }')
  t.match(body, { data: null, errors: [{ ...masked, path: ['allProducts', 0, 'maxItems'] }] })
  t.notMatch(JSON.stringify(body), /5000000000|Int cannot/)
  t.match(
    lines.filter(({ errorId }) => errorId === body.errors[0].extensions.id),
    [{ err: { message: /Int cannot represent/ } }]
  )
})

t.test('Q12 an error outside the resolvers also has an id', async t => {
  const { url, db, lines } = await loggedService(t)
  const token = await accessToken(url)
  await db.destroy()
  const response = await graphqlRequest(url, token, { query: '{ __typename }' })
  t.ok(response.status >= 500)
  const { errors } = (await response.json()) as { errors: { extensions: { id: string } }[] }
  t.match(errors, [{ message: String, extensions: { code: String, id: /^[0-9a-f-]{36}$/ } }])
  t.equal(lines.filter(({ errorId }) => errorId === errors[0]?.extensions.id).length, 1)
})

t.test("a caller's error found during execution is not masked", async t => {
  const { url } = await service(t)
  const { body } = await query(
    url,
    await accessToken(url),
    'query ($skip: Boolean = false) { __typename @skip(if: $skip) }',
    { variables: { skip: null } }
  )
  t.match(body, { data: null, errors: [{ message: /^Argument "if" of .*must not be null/ }] })
})

t.test('Q13 similar names are suggested, unless the schema is hidden', async t => {
  const listed =
    'query ($by: ProductTemplateOrder, $where: ProductTemplateFilter) { products(orderBy: $by, where: $where) { nodes { id } } }'
  const cases: [request: { query: string; variables?: object }, code: string, suggested: string][] = [
    [{ query: '{ allProduct { id } }' }, 'GRAPHQL_VALIDATION_FAILED', 'allProducts'],
    [{ query: '{ allProducts { nam } }' }, 'GRAPHQL_VALIDATION_FAILED', 'name'],
    [{ query: '{ ...F } fragment F on Quer { __typename }' }, 'GRAPHQL_VALIDATION_FAILED', 'Query'],
    [{ query: '{ allProducts(limi: 1) { id } }' }, 'GRAPHQL_VALIDATION_FAILED', 'limit'],
    [
      { query: '{ products(orderBy: { field: NAM }) { nodes { id } } }' },
      'GRAPHQL_VALIDATION_FAILED',
      'NAME'
    ],
    [{ query: listed, variables: { by: { field: 'NAM' } } }, 'BAD_USER_INPUT', 'NAME'],
    [{ query: listed, variables: { where: { nam: {} } } }, 'BAD_USER_INPUT', 'name']
  ]
  for (const graphqlIntrospection of [true, false]) {
    const { url } = await service(t, { graphqlIntrospection })
    const token = await accessToken(url)
    for (const [request, code, suggested] of cases) {
      const errors = await refusal(t, url, token, request)
      t.equal(errors[0]?.extensions.code, code)
      const pattern = new RegExp(`Did you mean .*"${suggested}"`)
      if (graphqlIntrospection) t.match(errors[0]?.message, pattern)
      else t.notMatch(JSON.stringify(errors), /did you mean/i)
    }
    for (const field of ['sécret Did you mean "name"?', 'x? Did you mean the enum value "NAM', 'NAM\n']) {
      const variables = { by: { field }, where: { [field]: field } }
      for (const { message } of await refusal(t, url, token, { query: listed, variables }))
        t.notMatch(message, /sécret|x\?|NAM[^E]/, 'a value is not quoted')
    }
  }
})

t.test('Q14 with introspection off the schema is hidden; __typename works', async t => {
  const { url, db } = await service(t, { graphqlIntrospection: false })
  await addTemplates(db, {})
  const token = await accessToken(url)
  for (const text of [
    '{ __schema { queryType { name } } }',
    '{ __type(name: "Query") { name } }',
    '{ a: __schema { types { name } } b: __type(name: "Query") { name } }',
    'query A { __typename } query B { ...S } fragment S on Query { ... { __schema { types { name } } } }'
  ]) {
    const errors = await refusal(t, url, token, {
      query: text,
      operationName: text.startsWith('query') ? 'A' : null
    })
    t.match(errors[0]?.message, /introspection has been disabled/)
  }
  t.same((await query(url, token, '{ __typename allProducts { __typename id } }')).body, {
    data: { __typename: 'Query', allProducts: [{ __typename: 'ProductTemplate', id: 0 }] }
  })
})

t.test(
  'Q14 the process has introspection off when NODE_ENV is production, unless it is asked for',
  async t => {
    const DATABASE_URL = await migratedUrl(t)
    const db = await openDatabase(DATABASE_URL)
    await addUser(db)
    await addClient(db)
    await db.destroy()
    for (const [env, schema] of [
      [{ NODE_ENV: 'production' }, undefined],
      [
        { NODE_ENV: 'production', GRAPHQL_INTROSPECTION: 'true' },
        { __schema: { queryType: { name: 'Query' } } }
      ],
      [{ NODE_ENV: 'development' }, { __schema: { queryType: { name: 'Query' } } }]
    ] as const) {
      const { url } = await serve(t, [], { DATABASE_URL, ...env })
      const token = await accessToken(url)
      t.same((await query(url, token, '{ __schema { queryType { name } } }')).body.data, schema)
      t.same((await query(url, token, '{ __typename }')).body, { data: { __typename: 'Query' } })
    }
  }
)

t.test('a document that cannot run has errors with a code and no data', async t => {
  const { url } = await service(t)
  const token = await accessToken(url)
  const two = 'query A { __typename } query B { __typename }'
  const variable = 'query ($skip: Boolean!) { __typename @skip(if: $skip) }'
  for (const [request, code] of [
    [{ query: '' }, 'GRAPHQL_PARSE_FAILED'],
    [{ query: '{' }, 'GRAPHQL_PARSE_FAILED'],
    [{ query: 'type Query { x: Int }' }, 'GRAPHQL_VALIDATION_FAILED'],
    [{ query: '{ allProducts }' }, 'GRAPHQL_VALIDATION_FAILED'],
    [{ query: two }, 'OPERATION_RESOLUTION_FAILURE'],
    [{ query: two, operationName: '' }, 'OPERATION_RESOLUTION_FAILURE'],
    [{ query: two, operationName: 'C' }, 'OPERATION_RESOLUTION_FAILURE'],
    [{ query: '{ __typename }', operationName: 'A' }, 'OPERATION_RESOLUTION_FAILURE'],
    [{ query: 'fragment A on Query { __typename }' }, 'GRAPHQL_VALIDATION_FAILED'],
    [{ query: variable }, 'BAD_USER_INPUT'],
    [{ query: variable, variables: { skip: null } }, 'BAD_USER_INPUT'],
    [{ query: variable, variables: { skip: 'no' } }, 'BAD_USER_INPUT'],
    [{ query: 'mutation { createProduct { product { id } } }' }, 'GRAPHQL_VALIDATION_FAILED'],
    [{ query: 'subscription { __typename }' }, 'GRAPHQL_VALIDATION_FAILED']
  ] as const) {
    const errors = await refusal(t, url, token, request, JSON.stringify(request))
    t.equal(errors[0]?.extensions.code, code, JSON.stringify(request))
  }
})

t.test('Q12 an error about a variable names the place and the type, never the value', async t => {
  const { url } = await service(t)
  const token = await accessToken(url)
  const text = `query ($where: ProductTemplateFilter, $ids: [Int!], $limit: Int!, $types: [String!], $order: ProductTemplateOrder) {
    allProducts(where: $where, limit: $limit, orderBy: $order) { id }
    other: allProducts(where: { id: { in: $ids } }) { id }
    traits(types: $types) { type }
  }`
  const long = 's3cr3t'.repeat(50_000)
  const wrong = (place: string, problem: string) =>
    `Variable "$${place.split('.')[0]}" got invalid value${place.includes('.') ? ` at "${place}"` : ''}; ${problem}`
  for (const [variables, ...messages] of [
    [{ limit: long }, wrong('limit', 'Expected type "Int".')],
    [{ limit: [long] }, wrong('limit', 'Expected type "Int".')],
    [{ limit: { [long]: long } }, wrong('limit', 'Expected type "Int".')],
    [{}, 'Variable "$limit" of required type "Int!" was not provided.'],
    [{ limit: null }, 'Variable "$limit" of non-null type "Int!" must not be null.'],
    [
      { limit: 1, ids: [1, null, long] },
      wrong('ids.1', 'Expected non-nullable type "Int!" not to be null.'),
      wrong('ids.2', 'Expected type "Int".')
    ],
    [{ limit: 1, ids: long }, wrong('ids', 'Expected type "Int".')],
    [{ limit: 1, types: [{}] }, wrong('types.0', 'Expected type "String".')],
    [{ limit: 1, where: long }, wrong('where', 'Expected type "ProductTemplateFilter" to be an object.')],
    [{ limit: 1, where: { id: { in: ['x'] } } }, wrong('where.id.in.0', 'Expected type "Int".')],
    [
      { limit: 1, where: { or: { id: { equals: 'x' } } } },
      wrong('where.or.id.equals', 'Expected type "Int".')
    ],
    [
      { limit: 1, where: { nmae: long } },
      wrong('where', 'Field "nmae" is not defined by type "ProductTemplateFilter". Did you mean "name"?')
    ],
    [
      { limit: 1, where: { [long]: 1 } },
      wrong('where', 'A field is not defined by type "ProductTemplateFilter".')
    ],
    [
      { limit: 1, order: { field: long } },
      wrong('order.field', 'Expected type "ProductTemplateOrderField".')
    ],
    [
      { where: { x: 1 }, limit: 'x' },
      wrong('where', 'Field "x" is not defined by type "ProductTemplateFilter".'),
      wrong('limit', 'Expected type "Int".')
    ]
  ] as const) {
    const errors = await refusal(t, url, token, { query: text, variables })
    t.same(
      errors.map(({ message }) => message),
      messages
    )
    for (const { extensions } of errors) t.equal(extensions.code, 'BAD_USER_INPUT')
  }
  const many = await refusal(t, url, token, {
    query: text,
    variables: { limit: 1, ids: Array(9000).fill('x') }
  })
  t.equal(many.length, 51)
  t.equal(many.at(-1)?.message, 'too many errors in the variables')
})
