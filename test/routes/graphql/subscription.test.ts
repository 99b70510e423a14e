/** `subscription { productChanged }` with the client of graphql-sse, and the bytes behind it. */
import { createClient, NetworkError } from 'graphql-sse'
import { type Test, t } from 'tap'
import type { Db } from '../../../db/schema.ts'
import type { ServiceOptions } from '../../../index.ts'
import { accessToken, graphqlGet, graphqlRequest, query } from '../../http.ts'
import { addTemplates, service } from '../../service.ts'

interface Changed {
  cursor: string
  templateId: number
  revision: number
  action: string
  contents: { name: string } | null
}

const text = `subscription Changed($where: ProductTemplateFilter, $after: String) {
  productChanged(where: $where, after: $after) { cursor templateId revision action contents { name } }
}`
const events = { accept: 'text/event-stream' }

async function start(t: Test, options: ServiceOptions & { prefix?: string } = {}) {
  const { app, db, url } = await service(t, options)
  const token = await accessToken(url)
  return { app, db, url, token }
}

function clientOf(t: Test, url: string, token: string, headers: Record<string, string> = {}) {
  const client = createClient({
    url: `${url}/graphql`,
    headers: { authorization: `Bearer ${token}`, ...headers },
    retryAttempts: 0
  })
  t.teardown(() => client.dispose())
  return client
}

type Client = ReturnType<typeof clientOf>

const subscribe = (client: Client, variables: object = {}, query = text) =>
  client.iterate<{ productChanged: Changed }>({ query, variables: variables as Record<string, unknown> })

type Results = ReturnType<typeof subscribe>

/** Reads the next changes. */
async function read(results: Results, count: number): Promise<Changed[]> {
  const found: Changed[] = []
  while (found.length < count) {
    const { value, done } = await results.next()
    if (done || !value.data) throw new Error(`ended after ${found.length} of ${count}: ${JSON.stringify(value)}`)
    found.push(value.data.productChanged)
  }
  return found
}

const rename = (db: Db, id: number, name: string) =>
  db.updateTable('product_template').set({ name }).where('id', '=', id).execute()

t.test('a change comes as an event with what is selected, in order', async t => {
  const { db, url, token } = await start(t, { prefix: '/shop' })
  await addTemplates(db, { id: 1, name: 'old' })
  const results = subscribe(clientOf(t, url, token), { after: 'start' })
  t.match(await read(results, 1), [{ templateId: 1, revision: 1, action: 'INSERT', contents: { name: 'old' } }])
  await rename(db, 1, 'new')
  await db.deleteFrom('product_template').execute()
  const changes = await read(results, 2)
  t.match(changes, [
    { revision: 2, action: 'UPDATE', contents: { name: 'new' } },
    { revision: 3, action: 'DELETE', contents: null }
  ])
  const { body } = await query(url, token, '{ changes { nodes { cursor } edges { cursor } } }')
  t.same(body.data.changes.nodes, body.data.changes.edges)
  t.equal(body.data.changes.nodes[2].cursor, changes[1]?.cursor)
})
