// Runs on SQLite only, in test:all only.
/** Subscriptions over WebSocket of other clients, with the WebSocket of Node.js, which is like that of a browser. */
import { ApolloClient, ApolloLink, gql, HttpLink, InMemoryCache } from '@apollo/client'
import { GraphQLWsLink } from '@apollo/client/link/subscriptions'
import { Client, subscriptionExchange } from '@urql/core'
import { createClient } from 'graphql-ws'
import { type Test, t } from 'tap'
import type { Db } from '../../db/schema.ts'
import { accessToken } from '../support/http/http.ts'
import { addTemplates, service } from '../support/service/service.ts'

const changedText = 'subscription Changed { productChanged(after: "start") { contents { name } } }'
const rename = (db: Db, name: string) => db.updateTable('product_template').set({ name }).execute()

async function start(t: Test) {
  const { url, db } = await service(t, { graphqlWebsocket: true })
  await addTemplates(db, { name: 'first' })
  const authorization = `Bearer ${await accessToken(url)}`
  const client = createClient({
    url: `${url.replace('http', 'ws')}/graphql`,
    connectionParams: { authorization }
  })
  t.teardown(() => client.dispose())
  return { url, db, authorization, client }
}

/** Collects what a subscription sends; `next` resolves with the oldest. */
function collect<Value>() {
  const values: Value[] = []
  let wake = () => {}
  return {
    add(value: Value) {
      values.push(value)
      wake()
    },
    async next() {
      if (values.length === 0)
        await new Promise<void>(resolve => {
          wake = resolve
        })
      return values.shift()
    }
  }
}

t.test('Apollo Client with subscriptions over WebSocket and the rest over HTTP', async t => {
  const { url, db, authorization, client } = await start(t)
  const link = ApolloLink.split(
    ({ operationType }) => operationType === 'subscription',
    new GraphQLWsLink(client),
    new HttpLink({ uri: `${url}/graphql`, headers: { authorization } })
  )
  const apollo = new ApolloClient({ link, cache: new InMemoryCache() })
  const { add, next } = collect<unknown>()
  const subscription = apollo.subscribe({ query: gql(changedText) }).subscribe(({ data }) => add(data))
  t.match(await next(), { productChanged: { contents: { name: 'first' } } })
  await rename(db, 'second')
  t.match(await next(), { productChanged: { contents: { name: 'second' } } })
  const { data } = await apollo.query({ query: gql('{ allProducts { name } }') })
  t.match(data, { allProducts: [{ name: 'second' }] })
  subscription.unsubscribe()
})

t.test('Apollo Client with everything over WebSocket', async t => {
  const { client } = await start(t)
  const apollo = new ApolloClient({ link: new GraphQLWsLink(client), cache: new InMemoryCache() })
  const { data } = await apollo.query({ query: gql('{ allProducts { name } }') })
  t.match(data, { allProducts: [{ name: 'first' }] })
  const write = gql('mutation { updateProduct(id: 0, input: { name: "new" }) { product { name } } }')
  t.match((await apollo.mutate({ mutation: write })).data, { updateProduct: { product: { name: 'new' } } })
  await t.rejects(apollo.query({ query: gql('{ unknown }') }), { message: /Cannot query field/ })
})

t.test('urql', async t => {
  const { url, db, client } = await start(t)
  const exchange = subscriptionExchange({
    forwardSubscription: ({ query = '', variables }) => ({
      subscribe: sink => ({
        unsubscribe: client.subscribe({ query, variables: variables ?? null }, sink as never)
      })
    })
  })
  const urql = new Client({ url: `${url}/graphql`, exchanges: [exchange] } as never)
  const { add, next } = collect<unknown>()
  const subscription = urql.subscription(changedText, {}).subscribe(({ data }) => add(data))
  t.match(await next(), { productChanged: { contents: { name: 'first' } } })
  await rename(db, 'second')
  t.match(await next(), { productChanged: { contents: { name: 'second' } } })
  subscription.unsubscribe()
})
