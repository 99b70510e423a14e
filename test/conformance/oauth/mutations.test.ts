/** Mutations and the scopes of tokens. */
import { t } from 'tap'
import { writer } from '../../graphql/writing/store.ts'

const field =
  'createProduct(input: { blockchainId: 1, maxItems: 1, name: "x", data: "{}" }) { product { id } }'

t.test('B08 a token without write cannot write by any route, and nothing happens', async t => {
  const { send, url, tokenFor } = await writer(t)
  for (const [text, operationName] of [
    [`mutation { ${field} }`],
    [`mutation { a: ${field} b: ${field} }`],
    [`mutation { ...F } fragment F on Mutation { ... { ${field} } }`],
    [`mutation A { ${field} } query B { __typename }`, 'A']
  ] as [string, string?][]) {
    const { status, data, errors } = await send(
      text,
      {},
      { scope: 'read', ...(operationName && { operationName }) }
    )
    t.equal(status, 200)
    t.match(errors[0], { extensions: { code: 'FORBIDDEN' } })
    t.ok(
      Object.values(data).every(value => value === null),
      text
    )
  }
  const parameters = new URLSearchParams({ query: `mutation { ${field} }` })
  const headers = { authorization: `Bearer ${await tokenFor('read write')}` }
  for (const [method, status] of [
    ['GET', 405],
    ['HEAD', 405],
    ['PUT', 405]
  ] as const)
    t.equal((await fetch(`${url}/graphql?${parameters}`, { method, headers })).status, status, method)
  t.same((await send('{ allProducts { id } }')).data.allProducts, [])
})

t.test('B09 of several operations only the named one runs', async t => {
  const { send } = await writer(t)
  const text = `query A { __typename } mutation B { ${field} }`
  const read = await send(text, {}, { scope: 'read', operationName: 'A' })
  t.same(read.data, { __typename: 'Query' })
  const both = await send(text, {}, { operationName: 'A' })
  t.same(both.data, { __typename: 'Query' })
  t.same((await send('{ allProducts { id } }')).data.allProducts, [])
})
