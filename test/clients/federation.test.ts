// Runs on SQLite only, in test:all only.
/** A gateway of Apollo Federation, by the example, with the service as a subgraph. */
import { t } from 'tap'
import { users } from '../../store.ts'
import { accessToken } from '../support/http/http.ts'
import { addTemplates, service, user } from '../support/service/service.ts'

/** Not its types: the examples have compiler options of their own. */
const { startGateway, startOrders } = await import(String('../../examples/federation/gateway.ts'))

const range = (length: number) => Array.from({ length }, (_, index) => index)

t.test(
  "Apollo's gateway reads templates with the orders of another service, as the user of the token",
  async t => {
    const { db, url } = await service(t, { graphqlSubgraph: true })
    const token = await accessToken(url)
    await addTemplates(db, ...range(1000).map(() => ({})))
    const all = range(1200).map(index => ({ id: `order ${index}`, product: index, quantity: index + 1 }))
    const orders = await startOrders(all, 0)
    t.teardown(() => orders.server.stop())
    const gateway = await startGateway(`${url}/graphql`, orders.url, token, 0)
    t.teardown(() => gateway.server.stop())
    const ask = async (query: string, authorization = `Bearer ${token}`) => {
      const headers = { authorization, 'content-type': 'application/json' }
      const response = await fetch(gateway.url, { method: 'POST', headers, body: JSON.stringify({ query }) })
      // biome-ignore lint/suspicious/noExplicitAny: the shape is what the test is about to check
      return (await response.json()) as any
    }
    const { data, errors } = await ask(
      '{ orders { quantity product { id name revisions(first: 1) { nodes { action } } } } }'
    )
    t.notOk(errors)
    t.equal(data.orders.length, 1200)
    t.same(data.orders[999], {
      quantity: 1000,
      product: { id: 999, name: 'template 999', revisions: { nodes: [{ action: 'CREATE' }] } }
    })
    t.same(data.orders[1000], { quantity: 1001, product: null }, 'its template does not exist')
    t.same((await ask('{ product(id: 5) { name orders { id } } }')).data, {
      product: { name: 'template 5', orders: [{ id: 'order 5' }] }
    })
    await users.update(db, user.email, { where: { id: { lt: 10 } } })
    const mine = await ask('{ orders { product { name } } }')
    t.equal(
      mine.data.orders.filter(({ product }: { product: unknown }) => product).length,
      10,
      'the rule of the user'
    )
    const stranger = await ask('{ orders { product { name } } }', 'Bearer wrong')
    t.ok(stranger.errors)
    t.notOk(stranger.data?.orders?.[0].product, 'the token decides')
  }
)
