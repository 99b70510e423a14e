// Runs on SQLite only: the tests of test/graphql send whole and broken requests to both engines.
/** How much one request may ask for. Each limit is a setting. */
import { getIntrospectionQuery } from 'graphql'
import { t } from 'tap'
import { accessToken, graphqlRequest, query, refusal, responseJson } from '../../support/http/http.ts'
import { addTemplates, service } from '../../support/service/service.ts'

const fields = 'id blockchainId maxItems name publicProduct componentName timeCreated timeModified data'
const contract = `query { allProducts { ${fields} } }`

t.test('Q07 an operation one level too deep is refused, also through fragments', async t => {
  const { url } = await service(t, { graphqlMaxDepth: 4 })
  const token = await accessToken(url)
  const shapes = (inner: string) => [
    `{ __schema { types { fields { ${inner} } } } }`,
    `{ ... { __schema { ... { types { ... on __Type { fields { ... { ${inner} } } } } } } } }`,
    `{ __schema { types { ...A } } } fragment A on __Type { fields { ...B } } fragment B on __Field { ${inner} }`,
    `{ __schema { types { name ...A } } } fragment B on __Field { ${inner} } fragment A on __Type { ... { fields { ...B } } }`
  ]
  for (const text of shapes('name')) t.ok((await query(url, token, text)).body.data, text)
  for (const text of shapes('type { name }')) {
    const [error] = await refusal(t, url, token, text, text)
    t.match(error, {
      message: 'the operation is deeper than 4 levels',
      extensions: { code: 'GRAPHQL_VALIDATION_FAILED' }
    })
  }
})

t.test('a long alias is refused', async t => {
  const { url } = await service(t)
  const token = await accessToken(url)
  const text = (length: number) => `{ products { nodes { ${'a'.repeat(length)}: id } } }`
  t.ok((await query(url, token, text(256))).body.data)
  const [error] = await refusal(t, url, token, text(257), 'an alias of 257 characters')
  t.match(error, { message: 'an alias has more than 256 characters' })
})

t.test('Q08 one alias too many is refused, also through repeated fragments', async t => {
  const { url } = await service(t)
  const token = await accessToken(url)
  const aliases = (count: number) =>
    Array.from({ length: count }, (_, index) => `a${index}: __typename`).join(' ')
  const shapes = (count: number) => [
    `{ ${aliases(count)} }`,
    `{ ... { ${aliases(count)} } }`,
    `{ ${aliases(count - 10)} ...A } fragment A on Query { ${aliases(10)} }`,
    `{ ${aliases(count - 10)} ...A ...A } fragment A on Query { ...B } fragment B on Query { ${aliases(5)} }`
  ]
  for (const text of shapes(15)) t.ok((await query(url, token, text)).body.data, text)
  for (const text of shapes(16)) {
    const [error] = await refusal(t, url, token, text, text)
    t.equal(error?.message, 'the operation has more than 15 aliases')
  }
})

t.test('Q08 exponential and circular fragments are measured in linear time', async t => {
  const { url } = await service(t)
  const token = await accessToken(url)
  const doubling = Array.from(
    { length: 60 },
    (_, index) => `fragment F${index} on Query { ...F${index + 1} ...F${index + 1} }`
  )
  const text = `{ ...F0 } ${doubling.join(' ')} fragment F60 on Query { a: __typename }`
  const [error] = await refusal(t, url, token, text)
  t.equal(error?.message, 'the operation has more than 15 aliases')
  const circle = '{ ...A } fragment A on Query { ...B } fragment B on Query { ...A __typename }'
  t.match(await refusal(t, url, token, circle), [{ message: /Cannot spread fragment "A" within itself/ }])
  t.match(await refusal(t, url, token, '{ ...Nowhere }'), [{ message: /Unknown fragment/ }])
})

t.test('Q08 directives, tokens and length are limited', async t => {
  const { url } = await service(t)
  const token = await accessToken(url)
  const both = '@skip(if: false) @include(if: true)'
  const spread = (more: string) =>
    `query { ...A ${both} ... @include(if: true) { ...A } ${more} } fragment A on Query { __typename ${both} }`
  const padded = (length: number) => '{ __typename } #'.padEnd(length, 'x')
  const rows: [fits: string, tooMuch: string, message: string | RegExp][] = [
    [
      spread('__typename @skip(if: false)'),
      spread(`__typename ${both}`),
      'the operation has more than 8 directives'
    ],
    [
      `{ ${'__typename '.repeat(600)} }`,
      `{ ${'__typename '.repeat(1000)} }`,
      /^Syntax Error: Document contains more that 1000 tokens/
    ],
    [
      'query ($skip: Boolean = false) { __typename @skip(if: $skip) }',
      `query (${Array.from({ length: 9 }, (_, index) => `$a${index}: Int @skip(if: false)`).join(' ')}) { __typename }`,
      'the operation has more than 8 directives'
    ],
    [padded(16_384), padded(16_385), 'the query has more than 16384 characters']
  ]
  for (const [fits, tooMuch, message] of rows) {
    t.ok((await query(url, token, fits)).body.data, fits.slice(0, 100))
    t.match(await refusal(t, url, token, tooMuch), [{ message }])
  }
})

t.test(
  'Q08 fields and fragments that are repeated very often are refused, and the error tells why',
  async t => {
    const { url } = await service(t, { graphqlMaxTokens: 10_000, graphqlMaxSourceLength: 65_536 })
    const token = await accessToken(url)
    const fragments = Array.from({ length: 900 }, (_, index) => index)
    const spreads = fragments.map(index => `...F${index}`).join(' ')
    const definitions = fragments.map(index => `fragment F${index} on Query { __typename }`).join(' ')
    for (const text of [`{ ${'__typename '.repeat(708)} }`, `{ ${spreads} } ${definitions}`])
      t.match(await refusal(t, url, token, text), [
        {
          message: 'the query has too many fragments or repeated fields: select each field once',
          extensions: { code: 'GRAPHQL_VALIDATION_FAILED' }
        }
      ])
  }
)

t.test("Q08 each limit is a setting whose minimum still allows the contract's query", async t => {
  const { url, db } = await service(t, {
    graphqlMaxDepth: 2,
    graphqlMaxTokens: 50,
    graphqlMaxAliases: 0,
    graphqlMaxDirectives: 0,
    graphqlMaxSourceLength: 256,
    graphqlMaxBodySize: 1024
  })
  await addTemplates(db, {})
  const token = await accessToken(url)
  const response = await graphqlRequest(url, token, { query: contract, variables: {} })
  t.match(await response.json(), { data: { allProducts: [{ id: 0, data: '{}' }] } })
  for (const [text, message] of [
    ['{ a: __typename }', /more than 0 aliases/],
    ['{ __typename @skip(if: false) }', /more than 0 directives/],
    ['{ __schema { types { name } } }', /deeper than 2 levels/],
    [`{ ${'id '.repeat(60)} }`, /more that 50 tokens/],
    [`{ __typename } #${'x'.repeat(256)}`, /more than 256 characters/]
  ] as const) {
    t.match(await refusal(t, url, token, text), [{ message }])
  }
  const large = await graphqlRequest(url, token, { query: contract, variables: { x: 'x'.repeat(1000) } })
  t.equal(large.status, 413)
})

t.test("Q08 the default limits allow the contract's query and introspection", async t => {
  const { url } = await service(t)
  const token = await accessToken(url)
  t.same((await query(url, token, contract)).body, { data: { allProducts: [] } })
  const options = { specifiedByUrl: true, directiveIsRepeatable: true, schemaDescription: true, oneOf: true }
  const introspection = getIntrospectionQuery({ ...options, inputValueDeprecation: true })
  t.match((await query(url, token, introspection)).body, {
    data: { __schema: { queryType: { name: 'Query' } } }
  })
  const { url: lower } = await service(t, { graphqlMaxDepth: 14 })
  t.match(await refusal(t, lower, await accessToken(lower), introspection), [{ message: /deeper than 14/ }])
})

t.test('introspection must not repeat itself', async t => {
  const { url } = await service(t)
  const token = await accessToken(url)
  const types = '{ name fields { name type { name } args { name } } }'
  const aliases = (count: number, field: string) =>
    Array.from({ length: count }, (_, index) => `a${index}: ${field}`).join(' ')
  for (const [text, message] of [
    [
      `{ ${aliases(12, `__schema { types ${types} }`)} }`,
      '__schema is selected under too many names; the maximum is 1'
    ],
    [
      `{ __schema { types ${types} } ...F } fragment F on Query { a: __schema { types ${types} } }`,
      /too many names; the maximum is 1/
    ],
    [
      `{ ${aliases(5, `__type(name: "Query") ${types}`)} }`,
      '__type is selected under too many names; the maximum is 4'
    ],
    [`{ __schema { ${aliases(12, `types ${types}`)} } }`, 'introspection must not have aliases'],
    [
      `{ __schema { types { ...F } } } fragment F on __Type { ${aliases(9, 'fields { name }')} }`,
      /must not have aliases/
    ],
    [
      `{ __type(name: "Query") { fields { ... { a: type ${types} } } } }`,
      'introspection must not have aliases'
    ],
    [
      'query A { __typename } query B { a: __schema { types { name } } b: __schema { types { name } } }',
      /too many names; the maximum is 1/
    ]
  ] as const)
    t.match(
      await refusal(t, url, token, { query: text, operationName: text.startsWith('query') ? 'A' : null }),
      [{ message, extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }],
      text
    )
  // As Hot Chocolate's clients ask.
  const features = ['__Schema', '__Type', '__Directive'].map(
    (name, index) => `a${index}: __type(name: "${name}") { fields { name } }`
  )
  for (const text of [
    `{ ${features.join(' ')} }`,
    `{ s: __schema { types { name } types ${types} } s: __schema { types { kind } } }`
  ])
    t.ok((await query(url, token, text)).body.data, text)
})

t.test('Q10 20,000 open braces are refused', async t => {
  const { url } = await service(t)
  const token = await accessToken(url)
  for (const text of ['{a'.repeat(20_000), '['.repeat(20_000)]) await refusal(t, url, token, text)
})

t.test('Q10 even the highest settings do not overflow the stack', async t => {
  const { url } = await service(t, { graphqlMaxTokens: 10_000, graphqlMaxSourceLength: 65_536 })
  const token = await accessToken(url)
  for (const count of [1000, 2500, 3300, 4900, 9000]) {
    for (const text of [
      '{a'.repeat(count) + '}'.repeat(count),
      `{ a(b: ${'['.repeat(count)}${']'.repeat(count)}) }`,
      `query ($a: ${'['.repeat(count)}Int${']'.repeat(count)}) { __typename }`
    ]) {
      const response = await graphqlRequest(url, token, { query: text }, responseJson)
      t.equal(response.status, 400, `${count}: ${text.slice(0, 8)}`)
      const { errors } = (await response.json()) as { errors: object[] }
      t.match(errors[0], { message: /^(?!.*call stack)/, extensions: { code: /^GRAPHQL_/ } })
    }
  }
})

t.test('Q10 the documents most expensive to validate do not block the service', async t => {
  const { url } = await service(t)
  const token = await accessToken(url)
  for (const text of [
    `{ ${'allProducts { id } '.repeat(240)} }`,
    `{ ${'__typename '.repeat(900)} }`,
    `{ __schema { types { ${'...on __Type { ofType { name } } '.repeat(90)} } } }`,
    `{ ${Array.from({ length: 300 }, (_, index) => `unknown${index}`).join(' ')} }`
  ]) {
    const { status, body } = await query(url, token, text)
    t.equal(status, 200)
    t.ok((body.errors?.length ?? 0) <= 6, 'a few errors at most')
  }
  t.equal((await query(url, token, '{ __typename }')).status, 200)
})

t.test('Q08 a body over the limit is 413, also without Content-Length', async t => {
  const { url } = await service(t)
  const token = await accessToken(url)
  const body = JSON.stringify({ query: '{ __typename }', variables: { x: 'x'.repeat(1024 * 1024) } })
  t.equal((await graphqlRequest(url, token, body)).status, 413)
  t.equal(
    (await graphqlRequest(url, token, body.slice(0, -1024))).status,
    400,
    'read to its end, and no JSON'
  )
  const streamed = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: new Blob([body]).stream(),
    duplex: 'half'
  } as RequestInit)
  t.equal(streamed.status, 413)
})

t.test('a result of a worker thread that is just below the limit is whole', async t => {
  const { url, db } = await service(t, { graphqlMaxResultSize: 1_000_000 })
  const attributes = Array.from({ length: 20_000 }, (_, n) => ({ trait_type: 'n', value: `${n}` }))
  await addTemplates(db, { data: JSON.stringify({ attributes }) })
  const text = '{ allProducts { document { attributes { traitType text } } } }'
  const { data } = (await query(url, await accessToken(url), text)).body
  t.same(
    data.allProducts[0].document.attributes.map((attribute: { text: string }) => attribute.text),
    attributes.map(({ value }) => value)
  )
})

t.test('a result over the limit is replaced by a well-formed error', async t => {
  const { url, db } = await service(t, { graphqlMaxResultSize: 1024 })
  const token = await accessToken(url)
  const frame = JSON.stringify({ data: { allProducts: [{ data: '' }] } }).length
  // Two bytes of UTF-8 for each character.
  const data = 'é'.repeat((1024 - frame) / 2)
  await addTemplates(db, { data })
  const fits = await graphqlRequest(url, token, { query: '{ allProducts { data } }' }, responseJson)
  const text = await fits.text()
  t.ok(Buffer.byteLength(text) > 1022)
  t.same(JSON.parse(text), { data: { allProducts: [{ data }] } })
  const large = await graphqlRequest(url, token, { query: '{ allProducts { id data } }' }, responseJson)
  t.equal(large.status, 200)
  t.same(await large.json(), {
    errors: [
      {
        message: 'the result exceeds 1024 bytes; request less',
        extensions: { code: 'RESULT_TOO_LARGE' }
      }
    ],
    data: null
  })
})

t.test('a document counts each time it is selected', async t => {
  const { url, db } = await service(t, { graphqlMaxResultSize: 2000 })
  const token = await accessToken(url)
  await addTemplates(db, { data: JSON.stringify({ name: 'x'.repeat(900) }) })
  const ask = async (count: number, fields: string) => {
    const aliases = Array.from({ length: count }, (_, index) => `a${index}: allProducts { ${fields} }`).join(
      ' '
    )
    return (await query(url, token, `{ ${aliases} }`)).body
  }
  t.notOk((await ask(2, 'document { name }')).errors)
  for (const fields of ['document { name }', 'data'])
    t.match(await ask(3, fields), { errors: [{ extensions: { code: 'RESULT_TOO_LARGE' } }], data: null })
  t.notOk((await ask(10, 'id document { productId }')).errors)
})

t.test('a result too large for a string is also an error, and the service continues', async t => {
  const { url, db } = await service(t)
  const token = await accessToken(url)
  await addTemplates(db, { data: 'x'.repeat(40_000_000) })
  const aliases = Array.from({ length: 14 }, (_, index) => `a${index}: data`).join(' ')
  const { status, body } = await query(url, token, `{ allProducts { ${aliases} } }`)
  t.equal(status, 200)
  t.match(body, { errors: [{ extensions: { code: 'RESULT_TOO_LARGE' } }], data: null })
  t.equal((await query(url, token, '{ __typename }')).status, 200)
})

t.test('a complete list is allowed in a store of any size', async t => {
  const { url, db } = await service(t, { graphqlMaxCost: 1000 })
  const token = await accessToken(url)
  // More than the limit, and a little less: with what else a list costs, that is more, too.
  for (const size of [990, 1100]) {
    const { count } = await db
      .selectFrom('product_template')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
    const data = JSON.stringify({ name: 'x'.repeat(4000) })
    await addTemplates(db, ...Array.from({ length: size - count }, (_, at) => ({ id: count + at, data })))
    const { body } = await query(url, token, '{ allProducts { id document { name } } }')
    t.equal(body.data?.allProducts?.length, size, JSON.stringify(body.errors))
  }
})
