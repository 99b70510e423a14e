// Runs on SQLite only: the host has the accounts, or the database is in memory.
/** A host that authenticates requests itself, in place of access tokens. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { FastifyInstance } from 'fastify'
import { type Test, t } from 'tap'
import type { HostCaller } from '../../../options/authenticate.ts'
import { migratedUrl } from '../../support/database/database.ts'
import { accessToken, graphqlRequest, query } from '../../support/http/http.ts'
import { secret } from '../../support/service/secrets.ts'
import { addTemplates, service } from '../../support/service/service.ts'

const values =
  '{ id: 5, blockchainId: 1, maxItems: 1, name: "x", publicProduct: false, componentName: "DefaultProduct", data: "{}" }'
const create = `mutation { createProduct(input: ${values}) { product { id } userErrors { message } } }`

/** Starts a service whose host knows callers by the header `x-caller`, as JSON. */
const hosted = (t: Test) =>
  service(t, {
    authenticate: ({ headers }) => {
      const given = headers['x-caller']?.toString()
      return given === undefined ? undefined : (JSON.parse(given) as HostCaller)
    }
  })

const as = (url: string, caller: unknown, text: string) =>
  fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-caller': JSON.stringify(caller) },
    body: JSON.stringify({ query: text })
  })

t.test('the host says who sends a request, and what they may do', async t => {
  const { url, db } = await hosted(t)
  await addTemplates(db, { id: 1 })
  const dana = { subject: 'dana', name: 'Dana Moreau', scopes: ['read', 'write'] }
  const ask = async (caller: unknown, text: string) => (await as(url, caller, text)).json()
  t.same(await ask(dana, '{ allProducts { id } viewer { name clientName scopes role } }'), {
    data: {
      allProducts: [{ id: 1 }],
      viewer: { name: 'Dana Moreau', clientName: 'host', scopes: ['read', 'write'], role: null }
    }
  })
  t.match(await ask(dana, create), { data: { createProduct: { product: { id: 5 }, userErrors: [] } } })
  const history = '{ product(id: 5) { revisions { nodes { author { name clientName } } } } }'
  t.same((await ask(dana, history)).data?.product.revisions.nodes, [
    { author: { name: 'Dana Moreau', clientName: 'host' } }
  ])
  const remove = 'mutation { deleteProduct(id: 5) { userErrors { message } } }'
  t.match(await ask(dana, remove), { errors: [{ extensions: { code: 'FORBIDDEN' } }] })
  t.match(await ask({ ...dana, scopes: ['read'] }, create), {
    errors: [{ extensions: { code: 'FORBIDDEN' } }]
  })
  t.match(await ask({ ...dana, scopes: [] }, '{ allProducts { id } }'), { errors: [{}] })
  t.equal((await as(url, { ...dana, scopes: [] }, '{ allProducts { id } }')).status, 403)
  const others = { ...dana, scopes: ['write', 'publish', 'admin'] }
  t.match(await ask(others, '{ allProducts { id } }'), {
    errors: [{ extensions: { code: 'INSUFFICIENT_SCOPE' } }]
  })
  const lead = { subject: 'lee', scopes: ['read', 'write', 'publish'] }
  t.same((await ask(lead, remove)).data, { deleteProduct: { userErrors: [] } })
})

t.test('the host says which templates a caller sees and writes', async t => {
  const { url, db } = await hosted(t)
  await addTemplates(db, { id: 1 }, { id: 2, componentName: 'TrackingRecord' })
  const dana = {
    subject: 'dana',
    scopes: ['read', 'write', 'publish'],
    where: { componentName: { equals: 'TrackingRecord' } }
  }
  const ask = async (text: string) => (await as(url, dana, text)).json()
  t.same(await ask('{ allProducts { id } }'), { data: { allProducts: [{ id: 2 }] } })
  t.match(await ask('mutation { deleteProduct(id: 1) { userErrors { code } } }'), {
    data: { deleteProduct: { userErrors: [{ code: 'NOT_FOUND' }] } }
  })
  t.match(await ask(create), { errors: [{ extensions: { code: 'FORBIDDEN' } }] })
  t.equal((await as(url, { ...dana, where: { colour: {} } }, '{ __typename }')).status, 500)
  t.equal((await as(url, { ...dana, where: {} }, '{ __typename }')).status, 500)
})

t.test('a host names its administrators', async t => {
  const { url, db } = await hosted(t)
  const lee = { subject: 'lee', name: 'Lee Adama', scopes: ['read', 'admin'] }
  const text =
    'mutation { updateClient(id: "test-client", input: { disabled: true }) { userErrors { code } } }'
  const { errors } = await (await as(url, { ...lee, scopes: ['read', 'write', 'publish'] }, text)).json()
  t.match(errors, [{ extensions: { code: 'FORBIDDEN' } }])
  t.same((await (await as(url, lee, text)).json()).data, { updateClient: { userErrors: [] } })
  t.match(await db.selectFrom('product_audit').selectAll().execute(), [
    { action: 'client.disable', subject: 'lee', actor_name: 'Lee Adama', client_id: 'host' }
  ])
})

t.test('nobody else gets in, not even with a token of the service', async t => {
  const { url } = await hosted(t)
  const token = await accessToken(url)
  t.equal((await query(url, token, '{ __typename }')).status, 401)
  t.equal((await graphqlRequest(url, '', { query: '{ __typename }' })).status, 401)
  for (const wrong of [
    { subject: '', scopes: ['read'] },
    { subject: 'x', scopes: ['read', 'all'] },
    { subject: 'x', scopes: ['read'], role: 'admin' },
    { subject: 7, scopes: ['read'] },
    { subject: 'x\0', scopes: ['read'] },
    { subject: '\uD800', scopes: ['read'] },
    { subject: 'x'.repeat(256), scopes: ['read'] },
    { subject: 'x', name: '\0', scopes: ['read'] },
    'x'
  ])
    t.equal((await as(url, wrong, '{ __typename }')).status, 500, JSON.stringify(wrong))
  t.equal((await as(url, null, '{ __typename }')).status, 401, 'null is nobody')
  await t.rejects(service(t, { authenticate: () => undefined, explorer: true }), {
    code: 'PTS_BAD_OPTION',
    message: /explorer needs access tokens/
  })
  await t.rejects(service(t, { authenticate: true as never }), { message: /authenticate must be a function/ })
})

t.test('a stream of changes ends when the host does not let its reader read any more', async t => {
  for (const later of [undefined, { subject: 'dana', scopes: [] }]) {
    let caller: HostCaller | undefined = { subject: 'dana', scopes: ['read'] }
    const { url } = await service(t, { authenticate: () => caller, changesHeartbeat: 1 })
    const response = await fetch(`${url}/changes`, { signal: AbortSignal.timeout(120_000) })
    caller = later
    t.match(await response.text(), /not valid any more/)
  }
})

t.test('an error of the host is 500, or the status that it has', async t => {
  const { url } = await service(t, {
    authenticate({ headers }) {
      throw Object.assign(new Error('secret detail'), { statusCode: Number(headers['x-status']) })
    }
  })
  const ask = (status: string) => fetch(`${url}/graphql`, { method: 'POST', headers: { 'x-status': status } })
  for (const status of [500, 429]) {
    const response = await ask(String(status))
    t.equal(response.status, status)
    t.notMatch(await response.text(), /secret detail/)
  }
})

t.test('a host may throw anything, at any check', async t => {
  for (const thrown of [undefined, null, 'text', 7, Object.assign(new Error('x'), { statusCode: 'x' })]) {
    let checks = 0
    let failsAt = 1
    const { url } = await service(t, {
      changesHeartbeat: 1,
      authenticate() {
        checks++
        if (checks >= failsAt) throw thrown
        return { subject: 'dana', scopes: ['read'] }
      }
    })
    const ask = async (at: number) => {
      checks = 0
      failsAt = at
      const response = await graphqlRequest(url, '', { query: '{ __typename }' })
      return [response.status, (await response.json()).errors?.[0]?.extensions.code]
    }
    t.same(await ask(1), [500, 'INTERNAL_SERVER_ERROR'], `${thrown} before the body`)
    t.same(await ask(2), [500, 'INTERNAL_SERVER_ERROR'], `${thrown} after the body`)
    checks = 0
    const stream = await fetch(`${url}/changes`, { signal: AbortSignal.timeout(120_000) })
    await t.rejects(stream.text(), { message: 'terminated' }, `${thrown} in a stream`)
    t.equal((await fetch(`${url}/livez`)).status, 200)
  }
})

/** Loads the example, with the sources in place of the installed package. */
async function buildExample(t: Test): Promise<FastifyInstance> {
  const text = readFileSync(new URL('../../../examples/host-session.ts', import.meta.url), 'utf8')
  const path = join(t.testdir(), 'host-session.ts')
  const sources = new URL('../../../index.ts', import.meta.url).href
  writeFileSync(path, text.replace("'product-templates'", JSON.stringify(sources)))
  const { buildHost } = await import(pathToFileURL(path).href)
  const app: FastifyInstance = await buildHost(await migratedUrl(t), secret('session').padEnd(32, '.'))
  t.teardown(() => app.close())
  return app
}

t.test('the example: a session cookie of the host', async t => {
  const app = await buildExample(t)
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  const login = async (job: string) => {
    const response = await fetch(`${url}/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ id: `7 ${job}`, name: 'Dana Moreau', job })
    })
    return (response.headers.getSetCookie()[0] as string).split(';')[0] as string
  }
  const ask = (cookie: string, text: string) =>
    fetch(`${url}/shop/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', cookie },
      body: JSON.stringify({ query: text })
    })
  const content = await login('content')
  t.match(await (await ask(content, create)).json(), { data: { createProduct: { product: { id: 5 } } } })
  t.match(await (await ask(await login('sales'), create)).json(), {
    errors: [{ extensions: { code: 'FORBIDDEN' } }]
  })
  t.equal((await ask(await login('visitor'), create)).status, 403)
  t.equal((await ask('', create)).status, 401)
  const changes = await fetch(`${url}/shop/changes`, {
    headers: { cookie: content },
    signal: AbortSignal.timeout(120_000)
  })
  await fetch(`${url}/logout`, { method: 'POST', headers: { cookie: content } })
  await ask(await login('content'), create.replace('id: 5', 'id: 6'))
  const ended = /^retry: \d+\nid: \S+\n\n(: heartbeat\n\n)*: the access token is not valid any more\n\n$/
  t.match(await changes.text(), ended)
  t.equal((await ask(content, '{ __typename }')).status, 401)
})
