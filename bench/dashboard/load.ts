/** A load of two minutes: reading, then also writing, then an attack on passwords, then reading again. */
import { setTimeout } from 'node:timers/promises'
import { passwordGrant } from '../credentials.ts'
import { Requests, wrongPassword } from '../soak/requests.ts'

/** Seconds since the start. */
export const phases = [
  { name: 'reading', until: 35 },
  { name: 'reading and writing', until: 75 },
  { name: 'guessing passwords', until: 95 },
  { name: 'reading', until: 120 }
]
const end = phases.at(-1)?.until as number

/** Milliseconds between the requests of a client. */
const pause = 15

export async function runLoad(url: string, client: Requests['client']): Promise<void> {
  const begin = performance.now()
  const seconds = () => (performance.now() - begin) / 1000
  const phase = () => phases.findIndex(({ until }) => seconds() < until)
  const requests = new Requests(url, client)
  const token = await requests.login()
  const until = async (work: (turn: number) => Promise<unknown>, isDue: () => boolean = () => true) => {
    for (let turn = 0; seconds() < end; turn++) {
      if (isDue()) await work(turn)
      await setTimeout(pause)
    }
  }
  const ask = (query: string, variables = {}) => requests.graphql(token, query, variables)
  const all = 'id blockchainId maxItems name publicProduct componentName timeCreated timeModified data'
  await Promise.all([
    ...[10, 20, 50].map(limit =>
      until(() => ask(`query Catalogue { allProducts(limit: ${limit}) { ${all} } }`))
    ),
    until(turn =>
      ask('query Detail($id: Int!) { product(id: $id) { name document { description } } }', {
        id: turn % 500
      })
    ),
    until(
      turn =>
        ask(
          'query Search($text: String!) { products(first: 20, where: { search: $text }) { totalCount nodes { id name } } }',
          { text: ['amber', 'oak', 'wool', `nothing ${turn}`][turn % 4] }
        ),
      () => phase() === 1
    ),
    until(
      turn =>
        ask(
          'mutation Rename($id: Int!, $name: String!) { updateProduct(id: $id, input: { name: $name }) { userErrors { message } } }',
          { id: turn % 50, name: `Template in turn ${turn}` }
        ),
      () => phase() === 1
    ),
    until(
      turn => ask(turn % 2 ? '{ nothing }' : 'query Wrong { allProducts(limit: -1) { id } }'),
      () => phase() === 1
    ),
    until(() => requests.oauth('token', passwordGrant).then(() => setTimeout(700))),
    ...[1, 2, 3].map(() =>
      until(
        () => requests.oauth('token', wrongPassword, 400),
        () => phase() === 2
      )
    ),
    until(
      () => requests.send('/graphql', { headers: { authorization: 'Bearer a.b.c' } }, 401),
      () => phase() === 2
    )
  ])
}
