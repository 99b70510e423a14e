// Runs in test:all only.
/** How the service serves the explorer, and that it does not where that is off. */
import { rmSync, writeFileSync } from 'node:fs'
import { brotliCompressSync, brotliDecompressSync, gunzipSync } from 'node:zlib'
import { type Test, t } from 'tap'
import { findClient } from '../../accounts/clients.ts'
import { features } from '../../features/load.ts'
import { productTemplates } from '../../index.ts'
import { clients } from '../../store.ts'
import { buildExplorer } from '../explorer/browse.ts'
import { authorization, authorizePath } from '../support/browser/browser.ts'
import { onlyOn } from '../support/database/only-on.ts'
import { addClient, cheapHash, database, host, service } from '../support/service/service.ts'

buildExplorer()

const scriptOf = (html: string): string => /src="\.\/(explorer\/[^"]+\.js)"/.exec(html)?.[1] ?? ''

onlyOn('sqlite', 'off by default: the paths are unknown', async t => {
  const { app } = await service(t)
  for (const path of ['/', '/explorer/x.js', '/explorer/index.html'])
    t.equal((await app.inject(path)).statusCode, 404, path)
})

onlyOn('sqlite', 'the page: revalidated, with a strict policy, as any other resource', async t => {
  const { app } = await service(t, { explorer: true, ipfsGateway: 'https://gateway.example/ipfs' })
  const { headers, body } = await app.inject('/')
  t.equal(headers['cache-control'], 'no-cache')
  const policy = String(headers['content-security-policy'])
  for (const part of [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "frame-ancestors 'none'"
  ])
    t.ok(policy.split('; ').includes(part), part)
  t.match(policy, "img-src 'self' data: blob: https://gateway.example;")
  t.notMatch(policy, 'unsafe')
  t.match(body, 'content="https://gateway.example/ipfs"')
  t.notMatch(body, /<script>|<style>| style=| on\w+=/)
  const again = await app.inject({ url: '/', headers: { 'if-none-match': String(headers.etag) } })
  t.same([again.statusCode, again.body], [304, ''])
  t.equal((await app.inject({ method: 'POST', url: '/' })).statusCode, 405)
})

onlyOn('sqlite', 'the page asks for every scope that its client may have', async t => {
  const { app, db } = await service(t, { explorer: true })
  const scopeOf = async () => /name="scope" content="([^"]*)"/.exec((await app.inject('/')).body)?.[1]
  t.equal(await scopeOf(), 'read write profile admin')
  await clients.update(db, 'explorer', { scopes: ['read'] })
  t.equal(await scopeOf(), 'read', 'an operator has taken the others away')
})

onlyOn('sqlite', 'the page has the words for what features record', async t => {
  const { app } = await service(t, { explorer: true })
  const [, actions = ''] = /name="actions" content="([^"]*)"/.exec((await app.inject('/')).body) ?? []
  const given = Object.assign({}, ...features.map(({ auditActions }) => auditActions))
  t.same(JSON.parse(actions.replaceAll('&quot;', '"')), given)
})

onlyOn('sqlite', 'if the service fetches the pictures, the page asks no gateway', async t => {
  const { app } = await service(t, {
    explorer: true,
    ipfsGateway: 'https://gateway.example/ipfs',
    imageSources: 'gateway.example'
  })
  const { headers, body } = await app.inject('/')
  t.notMatch(`${headers['content-security-policy']} ${body}`, 'gateway.example')
})

onlyOn('sqlite', 'the files: immutable, compressed as the client likes', async t => {
  const { app } = await service(t, { explorer: true })
  const url = `/${scriptOf((await app.inject('/')).body)}`
  const get = (coding: string) => app.inject({ url, headers: { 'accept-encoding': coding } })
  const [br, gzip, plain] = [await get('gzip, br'), await get('gzip, br;q=0'), await get('identity')]
  t.same(
    [br, gzip, plain].map(({ headers }) => headers['content-encoding']),
    ['br', 'gzip', undefined]
  )
  t.same(brotliDecompressSync(br.rawPayload), plain.rawPayload)
  t.same(gunzipSync(gzip.rawPayload), plain.rawPayload)
  t.match(br.headers, {
    'cache-control': 'public, max-age=31536000, immutable',
    vary: 'Accept-Encoding',
    'content-type': 'text/javascript; charset=utf-8'
  })
  for (const path of ['version', 'index.html', '..%2Fversion', 'index.html.br'])
    t.equal((await app.inject(`/explorer/${path}`)).statusCode, 404, path)
})

onlyOn('sqlite', 'a file of a later build is there without a restart', async t => {
  const { app } = await service(t, { explorer: true })
  const folder = new URL('../../node_modules/.cache/product-templates/explorer/', import.meta.url)
  const name = `later-${process.pid}.js`
  t.equal((await app.inject(`/explorer/${name}`)).statusCode, 404)
  writeFileSync(new URL(`${name}.br`, folder), brotliCompressSync('later()'))
  t.teardown(() => rmSync(new URL(`${name}.br`, folder)))
  t.equal((await app.inject(`/explorer/${name}`)).body, 'later()')
})

onlyOn(
  'sqlite',
  'below a prefix, the address without a slash leads to that with it, through any proxy',
  async t => {
    const { app } = await service(t, { explorer: true, prefix: '/shop' })
    const { statusCode, headers } = await app.inject('/shop?x=1')
    t.same([statusCode, headers.location], [308, 'shop/?x=1'])
    t.equal((await app.inject('/shop/')).statusCode, 200)
  }
)

onlyOn(
  'sqlite',
  'GraphiQL: its editor may set style attributes; scripts and style elements come from the service alone',
  async t => {
    const { app } = await service(t, { explorer: true })
    const { statusCode, headers, body } = await app.inject('/explorer/graphql')
    t.equal(statusCode, 200)
    const policy = String(headers['content-security-policy']).split('; ')
    const unsafe = policy.filter(part => part.includes('unsafe'))
    t.same(unsafe, ["style-src-attr 'unsafe-inline'"])
    t.ok(policy.includes("script-src 'self'"))
    t.notMatch(body, /<script>|<style>| style=| on\w+=/)
  }
)

/** Starts a service with its own issuer on the database. Returns functions that request its page and a login. */
async function instance(t: Test, db: Awaited<ReturnType<typeof database>>, issuer: string) {
  const app = host(t)
  await app.register(productTemplates, { db, ...cheapHash, explorer: true, issuer })
  const ask = () => app.inject('/')
  const logIn = async (redirectUri: string) => {
    const parameters = authorization({ client_id: 'explorer', redirect_uri: redirectUri })
    return (await app.inject(authorizePath(parameters))).statusCode
  }
  return { ask, logIn }
}

t.test('the client: added when the page is first asked for, with the address of the service', async t => {
  const db = await database(t)
  const { ask } = await instance(t, db, 'https://a.example')
  t.equal(await findClient(db, 'explorer'), undefined)
  await Promise.all([ask(), ask()])
  t.match(await findClient(db, 'explorer'), {
    isPublic: true,
    firstParty: true,
    scopes: ['read', 'write', 'profile'],
    redirectUris: ['https://a.example/']
  })
})

t.test(
  'the client: a login leads back to the instance that it was at, never to a former address',
  async t => {
    const db = await database(t)
    const [a, b] = ['https://a.example/', 'https://b.example/shop/']
    const [first, second] = [
      await instance(t, db, 'https://a.example'),
      await instance(t, db, 'https://b.example/shop')
    ]
    await first.ask()
    await second.ask()
    t.same([await first.logIn(a), await second.logIn(b)], [200, 200], 'both at the same time')
    t.same([await first.logIn(b), await second.logIn(a)], [400, 400])
    t.same((await findClient(db, 'explorer'))?.redirectUris, [b], 'the store has one')
    const moved = await instance(t, db, 'https://c.example')
    t.same([await moved.logIn(a), await moved.logIn(b)], [400, 400], 'at once')
    await moved.ask()
    t.same((await findClient(db, 'explorer'))?.redirectUris, ['https://c.example/'])
  }
)

t.test('a client with a secret and the same name stays as it is', async t => {
  const db = await database(t)
  await addClient(db, { id: 'explorer' })
  await (await instance(t, db, 'https://a.example')).ask()
  t.match(await findClient(db, 'explorer'), { isPublic: false, redirectUris: [] })
})
