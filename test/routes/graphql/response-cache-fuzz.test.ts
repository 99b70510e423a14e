// Runs on SQLite only, alone, in test:all only.
/**
 * A service that keeps responses and one that does not, on one database: each of many similar requests gets the same
 * response from both. `SECONDS=60` is thorough.
 */
import { hash } from 'node:crypto'
import Fastify from 'fastify'
import { t } from 'tap'
import { productTemplates } from '../../../index.ts'
import fc from '../../support/generated/fast-check.ts'
import { accessToken, visible } from '../../support/http/http.ts'
import { addTemplates, cheapHash, service } from '../../support/service/service.ts'

/** Lists of requests. */
const runs = 30 * Number(process.env.SECONDS ?? 2)

const queries = [
  'query A($w: ProductTemplateFilter, $n: Int, $s: Boolean = true) { allProducts(where: $w, limit: $n) { id @include(if: $s) name } } query B { allProducts { maxItems } }',
  'query A($w: ProductTemplateFilter, $n: Int, $s: Boolean = true) { allProducts(where: $w, limit: $n) { name id @include(if: $s) } } query B { allProducts { maxItems } }',
  'query A($w: ProductTemplateFilter, $n: Int, $s: Boolean = true) { allProducts(where: $w, limit: $n) { id @skip(if: $s) name } } query B { allProducts { maxItems } }',
  '{ allProducts { id name } }',
  '{ allProducts { name id } }',
  ' { allProducts { id name } } ',
  'mutation A { updateProduct(id: 0, input: {}) { product { revision } } } query B { allProducts { revision } }'
]
/** Their identifiers: some differ by the case or by spaces alone, one is the text of another. */
const ids = ['a', 'A', 'a ', '__proto__', 'toString', queries[3], 'x-a:b'] as string[]
const documents = Object.fromEntries(ids.map((id, index) => [id, queries[index]]))
const hashes = queries.map(query => `sha256:${hash('sha256', query)}`)
const graphqlDocuments = JSON.stringify(documents)
const names = ['A', 'B', '', null, undefined, 'C']
const values = [
  undefined,
  null,
  0,
  -0,
  1,
  1.5,
  '1',
  '',
  'é',
  'e\u0301',
  '\ud800',
  true,
  [],
  {},
  [['name', 'x']],
  { name: { equals: 'a' } },
  { name: { equals: 'b' } },
  { name: { in: ['a', 'b'] } },
  { name: { in: ['b', 'a'] } },
  { name: { in: 'a' } },
  { name: { equals: 'a' }, maxItems: { gt: 0 } },
  { maxItems: { gt: 0 }, name: { equals: 'a' } },
  { maxItems: { gt: Number.POSITIVE_INFINITY } },
  { maxItems: { gt: null } },
  { trait: { type: 't', equals: 0 } },
  { trait: { type: 't', equals: -0 } },
  { trait: { type: 't', equals: '0' } },
  { trait: { type: 't', equals: null } }
]

interface Sent {
  body: string
  headers: Record<string, string>
  method: 'GET' | 'POST'
  scope: number
}

/** JSON as a client may write it: also numbers that JavaScript does not print. */
const print = (value: unknown): string =>
  JSON.stringify(value, (_name, each) =>
    Object.is(each, -0) ? 'MINUS ZERO' : each === Number.POSITIVE_INFINITY ? 'HUGE' : each
  )
    .replaceAll('"MINUS ZERO"', '-0')
    .replaceAll('"HUGE"', '1e400')

const document = fc.oneof(
  fc.record({ query: fc.constantFrom(...queries) }),
  fc.record({ documentId: fc.constantFrom(...ids, ...hashes, 'unknown') }),
  fc.record({ documentId: fc.constantFrom(...ids, null), query: fc.constantFrom(...queries, null) }),
  fc.record({ extensions: fc.constantFrom(...ids).map(sha256Hash => ({ persistedQuery: { sha256Hash } })) })
)

/** Requests that differ by their document alone. */
const requests: fc.Arbitrary<Sent[]> = fc
  .record({
    documents: fc.array(document, { minLength: 2, maxLength: 4 }),
    operationName: fc.constantFrom(...names),
    variables: fc.oneof(
      fc.constantFrom(undefined, null, {}),
      fc.record({
        w: fc.constantFrom(...values),
        n: fc.constantFrom(...values),
        s: fc.constantFrom(true, false, undefined)
      })
    ),
    spaced: fc.boolean(),
    accept: fc.constantFrom(
      undefined,
      'application/json',
      'application/graphql-response+json',
      '*/*',
      'text/html'
    ),
    coding: fc.constantFrom(undefined, 'gzip', 'br', 'zstd', 'identity'),
    method: fc.constantFrom('GET', 'POST', 'POST'),
    scope: fc.nat(2)
  })
  .map(({ documents, operationName, variables, spaced, accept, coding, method, scope }) =>
    documents.map(document => {
      const text = print({ ...document, operationName, variables })
      return {
        body: spaced ? ` ${text.replace(/^\{("\w+"):/, '{ $1 : ')}\n` : text,
        headers: { ...(accept && { accept }), ...(coding && { 'accept-encoding': coding }) },
        method: method as Sent['method'],
        scope
      }
    })
  )

t.test('whatever is sent, a cached response is the right one', async t => {
  const { db, url } = await service(t, { graphqlDocuments })
  await addTemplates(
    db,
    ...['a', 'b', 'é'].map((name, index) => ({
      name,
      data: JSON.stringify({ attributes: [{ trait_type: 't', value: index }] })
    })),
    { name: 'long', data: JSON.stringify({ text: 'x'.repeat(5000) }) }
  )
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(productTemplates, {
    db,
    ...cheapHash,
    issuer: url,
    graphqlDocuments,
    graphqlResponseCacheSize: 0
  })
  const fresh = await app.listen({ port: 0, host: '127.0.0.1' })
  const tokens = await Promise.all(['read', 'write', 'read write'].map(scope => accessToken(url, { scope })))

  const send = async (to: string, { body, headers, method, scope }: Sent) => {
    const all = { authorization: `Bearer ${tokens[scope]}`, 'content-type': 'application/json', ...headers }
    if (method === 'POST') return visible(await fetch(`${to}/graphql`, { method, headers: all, body }))
    const { query, documentId, extensions, operationName, variables } = JSON.parse(body)
    const parameters = new URLSearchParams({
      ...(query && { query }),
      ...(documentId && { documentId }),
      ...(extensions && { extensions: JSON.stringify(extensions) }),
      ...(operationName !== undefined && { operationName: String(operationName) }),
      ...(variables !== undefined && { variables: print(variables) })
    })
    return visible(await fetch(`${to}/graphql?${parameters}`, { headers: all }))
  }
  let compared = 0
  const compare = async (request: Sent): Promise<void> => {
    const [cached, right] = [await send(url, request), await send(fresh, request)]
    // Only cached responses are compressed, and the ETag names the coding.
    for (const { headers } of [cached, right]) {
      for (const name of ['content-encoding', 'content-length', 'transfer-encoding']) delete headers[name]
      headers.etag = headers.etag?.replace(/\.\w+"/, '"') ?? ''
    }
    if (JSON.stringify(cached) !== JSON.stringify(right))
      throw new Error(`${JSON.stringify(cached)} instead of ${JSON.stringify(right)}`)
    compared++
  }
  const compareAll = async (sent: Sent[]): Promise<void> => {
    // The first makes it known, the second is cached, the third gets what is cached.
    for (const request of [...sent, ...sent, ...sent]) await compare(request)
  }
  await fc.assert(fc.asyncProperty(requests, compareAll), { numRuns: runs })
  t.pass(`${compared} requests`)
})
