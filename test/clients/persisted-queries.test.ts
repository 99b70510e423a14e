// Runs on SQLite only, in test:all only.
/** Automatic persisted queries of other clients. */
import { createHash } from 'node:crypto'
import { ApolloClient, ApolloLink, gql, HttpLink, InMemoryCache } from '@apollo/client'
import { PersistedQueryLink } from '@apollo/client/link/persisted-queries'
import { Client, fetchExchange } from '@urql/core'
import { persistedExchange } from '@urql/exchange-persisted'
import { type Test, t } from 'tap'
import type { ServiceOptions } from '../../index.ts'
import { network } from '../client/network.ts'
import { accessToken } from '../support/http/http.ts'
import { addTemplates, service } from '../support/service/service.ts'

/** Starts a service with two templates, behind a network that counts requests. */
async function start(t: Test, options: ServiceOptions = {}) {
  const { url, db } = await service(t, options)
  await addTemplates(db, {}, {})
  const { url: between, requests, sent } = await network(t, url)
  const headers = { authorization: `Bearer ${await accessToken(url)}` }
  const readTexts = () => sent.splice(0).map(({ body }) => (body === '' ? '' : JSON.parse(body).query))
  return { uri: `${between}/graphql`, headers, requests, readTexts }
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const namesText = 'query Names { allProducts { name } }'
const both = [{ name: 'template 1' }, { name: 'template 0' }]
const renameText = 'mutation Rename { updateProduct(id: 0, input: { name: "new" }) { product { name } } }'

for (const useGETForHashedQueries of [false, true])
  t.test(`Apollo Client, ${useGETForHashedQueries ? 'GET' : 'POST'}`, async t => {
    const { uri, headers, requests, readTexts } = await start(t)
    const link = ApolloLink.from([
      new PersistedQueryLink({ sha256, useGETForHashedQueries }),
      new HttpLink({ uri, headers })
    ])
    const client = new ApolloClient({ link, cache: new InMemoryCache() })
    const ask = async () =>
      (await client.query({ query: gql(namesText), fetchPolicy: 'network-only' })).data as {
        allProducts: object[]
      }
    const first = useGETForHashedQueries ? 'GET' : 'POST'
    for (const times of [2, 1, 1, 1, 1]) {
      t.match((await ask()).allProducts, both)
      t.equal(readTexts().length, times)
    }
    t.same(
      requests,
      [first, 'POST', first, first, first, first].map(method => `${method} /graphql`)
    )
    const { data } = await client.mutate({ mutation: gql(renameText) })
    t.match(data, { updateProduct: { product: { name: 'new' } } })
    t.match(readTexts(), [undefined, /^mutation/])
    t.match(
      (await ask()).allProducts,
      [{ name: 'new' }, { name: 'template 1' }],
      'no cached response is stale'
    )
  })

for (const preferGetForPersistedQueries of [false, 'force'] as const)
  t.test(`urql, ${preferGetForPersistedQueries === 'force' ? 'GET' : 'POST'}`, async t => {
    const { uri, headers, readTexts } = await start(t)
    const client = new Client({
      url: uri,
      fetchOptions: { headers },
      preferGetMethod: false,
      exchanges: [persistedExchange({ preferGetForPersistedQueries, enableForMutation: true }), fetchExchange]
    })
    for (const times of [2, 1, 1, 1]) {
      const { data, error } = await client.query(namesText, {}, { requestPolicy: 'network-only' })
      t.equal(error, undefined)
      t.match(data.allProducts, both)
      t.equal(readTexts().length, times)
    }
    const { data } = await client.mutation(renameText, {})
    t.match(data, { updateProduct: { product: { name: 'new' } } })
    t.match(readTexts(), [undefined, /^mutation/])
  })

t.test('with trusted documents only, clients send texts from then on, and are refused', async t => {
  const graphqlDocuments = JSON.stringify({ names: namesText })
  const { uri, headers, readTexts } = await start(t, { graphqlDocuments, graphqlDocumentsOnly: true })
  const refused = { message: /^only documents by their documentId are allowed/ }
  const link = ApolloLink.from([new PersistedQueryLink({ sha256 }), new HttpLink({ uri, headers })])
  const apollo = new ApolloClient({ link, cache: new InMemoryCache() })
  for (const times of [2, 1]) {
    await t.rejects(apollo.query({ query: gql(namesText) }), refused)
    t.equal(readTexts().length, times)
  }
  const exchanges = [persistedExchange({ preferGetForPersistedQueries: false }), fetchExchange]
  const urql = new Client({ url: uri, fetchOptions: { headers }, preferGetMethod: false, exchanges })
  for (const times of [2, 1]) {
    const { error } = await urql.query(namesText, {})
    t.match(error?.graphQLErrors, [refused])
    t.equal(readTexts().length, times)
  }
})
