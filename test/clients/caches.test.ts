// Runs on SQLite only, in test:all only.
// Runs on SQLite only, in test:all only.
/** What the caches of other clients show, by the examples. */
import { type Test, t } from 'tap'
import { createClient, type Client as Service } from '../../packages/client/index.ts'
import { network } from '../client/network.ts'
import { passwordAuth } from '../client/password-auth.ts'
import { accessToken, basic, query } from '../support/http/http.ts'
import { client as identity, service } from '../support/service/service.ts'
import './relay.ts'

/** Loads a file of the examples. They have compiler options of their own, so their types are not known here. */
const load = (file: string) => import(`../../examples/${file}.ts`)

/** The templates before the one that changes, and those after it. */
const above = ['seven', 'six', 'five']
const below = ['three', 'two', 'one']

interface Gallery {
  names(): string[] | undefined
  forward(): Promise<unknown>
  back(): Promise<unknown>
  product(id: number): Promise<{ name: string; revision: number } | null | undefined>
  history(id: number): Promise<(string | undefined)[] | undefined>
  rename(id: number, name: string, expectedRevision: number): Promise<string[] | undefined>
  remove(id: number, expectedRevision: number): Promise<string[] | undefined>
}

/** Starts a service with templates 1 to 5, `one` to `five`; 4 has three revisions. */
async function start(t: Test) {
  const { url } = await service(t)
  const token = await accessToken(url)
  const between = await network(t, url)
  const ask = async (text: string) => (await query(url, token, text)).body
  const create = (id: number, name: string) =>
    ask(`mutation { createProduct(input: { id: ${id}, blockchainId: 1, maxItems: 1, name: "${name}", data: "{}",
      publicProduct: false, componentName: "DefaultProduct" }) { userErrors { code } } }`)
  const rename = (id: number, name: string) =>
    ask(`mutation { updateProduct(id: ${id}, input: { name: "${name}" }) { userErrors { code } } }`)
  for (const [index, name] of ['one', 'two', 'three', 'first', 'five'].entries())
    await create(index + 1, name)
  await rename(4, 'second')
  await rename(4, 'four')
  return { token, between, ask, create, rename }
}

async function revoke(url: string, token: string) {
  const headers = { authorization: basic(identity.id, identity.secret) }
  await fetch(`${url}/oauth/revoke`, { method: 'POST', headers, body: new URLSearchParams({ token }) })
}

/** Follows a user through all that a gallery does. */
async function use(t: Test, open: (url: string, client: Service) => Promise<Gallery>) {
  const warnings: unknown[][] = []
  for (const level of ['warn', 'error'] as const) {
    const { [level]: original } = console
    console[level] = (...parts) => void warnings.push(parts)
    t.teardown(() => Object.assign(console, { [level]: original }))
  }
  const { between, create, rename } = await start(t)
  const client = createClient({ url: between.url, auth: passwordAuth })
  const gallery = await open(between.url, client)
  t.same(gallery.names(), ['five', 'four'], 'a page')
  await gallery.forward()
  t.same(gallery.names(), ['five', 'four', 'three', 'two'], 'a page forward')
  await create(6, 'six')
  await gallery.back()
  t.same(gallery.names(), ['six', 'five', 'four', 'three', 'two'], 'a page back')
  await gallery.back()
  t.same(gallery.names(), ['six', 'five', 'four', 'three', 'two'], 'there is nothing before')
  await create(7, 'seven')
  await gallery.back()
  for (let page = 0; page < 2; page++) await gallery.forward()
  t.same(gallery.names(), ['seven', 'six', 'five', 'four', 'three', 'two', 'one'], 'from end to end')

  const token = await client.token()
  await revoke(between.url, token)
  t.match(await gallery.product(4), { name: 'four', revision: 3 }, 'the library gets a new token')
  t.not(await client.token(), token)
  t.same(await gallery.history(4), ['four', 'second', 'first'], 'the history')
  t.same(gallery.names(), [...above, 'four', ...below], 'the history is not the list')
  t.match(await gallery.product(4), { name: 'four', revision: 3 }, 'nor the template')

  const sent = between.requests.length
  t.same(await gallery.rename(4, 'fourth', 3), [])
  t.same(gallery.names(), [...above, 'fourth', ...below], 'a change')
  t.match(await gallery.product(4), { name: 'fourth', revision: 4 })
  t.equal(between.requests.length, sent + 1, 'nothing was read again')

  await rename(4, 'theirs')
  t.same(await gallery.rename(4, 'mine', 4), ['CONFLICT'])
  t.same(gallery.names(), [...above, 'theirs', ...below], 'a conflict')
  t.match(await gallery.product(4), { name: 'theirs', revision: 5 })

  t.same(await gallery.remove(4, 4), ['CONFLICT'])
  t.equal(gallery.names()?.length, 7, 'kept')
  t.same(await gallery.remove(4, 5), [])
  t.same(gallery.names(), [...above, ...below], 'a deletion')
  t.equal(await gallery.product(4), null)
  t.same(await gallery.history(4), [undefined, 'theirs', 'fourth', 'four', 'second', 'first'])
  t.same(warnings, [])
}

for (const example of ['apollo', 'urql', 'relay'])
  t.test(example, async t => use(t, (await load(`${example}/gallery`)).openGallery))

t.test('TanStack Query with gql.tada', async t => {
  const { openGallery } = await load('tanstack-query/gallery')
  await use(t, (_url, client) => openGallery(client))
})

t.test('graphql-codegen', async t => {
  const { HistoryDocument } = await load('graphql-codegen/src/gql/graphql')
  const { token, between } = await start(t)
  const client = createClient({ url: between.url, auth: token })
  const pages: string[][] = []
  for await (const { productRevisions } of client.pages<History, object>(HistoryDocument, { id: 4 }))
    pages.push(productRevisions.nodes.map(({ contents }) => contents.name))
  t.same(pages, [['four', 'second'], ['first']])
})

interface History {
  productRevisions: { nodes: { contents: { name: string } }[] }
}
