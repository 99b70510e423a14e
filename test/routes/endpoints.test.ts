// Runs on SQLite only.
/** Compares the table of endpoints, which the documents show, with a service that has all of them. */
import { t } from 'tap'
import { features, loadParts } from '../../features/load.ts'
import { productTemplates } from '../../index.ts'
import type { Setting } from '../../options/setting.ts'
import { listEndpoints } from '../../routes/index.ts'
import { host } from '../support/service/service.ts'

/** The boolean settings that turn a feature on, all true. */
const switches = Object.fromEntries(
  features.flatMap(({ settings = {}, isOn }) =>
    Object.entries<Setting>(settings)
      .filter(([name, { type }]) => type === 'boolean' && isOn?.({ [name]: true }))
      .map(([name]) => [name, true])
  )
)

const endpoints = listEndpoints(await loadParts('server'))
const app = host(t)
const routes = new Set<string>()
app.addHook('onRoute', ({ url, method }) => {
  for (const name of [method].flat()) routes.add(`${name} ${url}`)
})
const issuer = 'https://templates.example'
const optional = { explorer: true, metrics: true, ...switches }
await app.register(productTemplates, { database: 'sqlite::memory:', issuer, ...optional })
await app.ready()

t.test('it has every route of the service', async t => {
  const paths = new Set([...routes].map(route => route.split(' ')[1]))
  t.same(
    [...paths].sort(),
    endpoints.map(({ path }) => path).sort(),
    'a feature that no boolean setting turns on: add its option to `optional`'
  )
  for (const { path, methods } of endpoints)
    for (const method of Object.keys(methods)) t.ok(routes.has(`${method} ${path}`))
})

t.test('a request without the credentials that it names is refused with their challenge', async t => {
  const kinds = new Set(endpoints.map(({ auth }) => auth))
  t.same(kinds, new Set(['Basic', 'Basic or `client_id`', 'Bearer', 'login page', 'none']))
  for (const { auth, path, methods } of endpoints)
    for (const method of Object.keys(methods) as ('GET' | 'POST')[]) {
      const { statusCode, headers } = await app.inject({ method, url: path.replace(/:\w+/, 'x') })
      const [scheme] = /^B\w+/.exec(auth) ?? []
      t.equal(statusCode === 401, scheme !== undefined, `${method} ${path}`)
      t.equal(headers['www-authenticate']?.toString().split(' ')[0], scheme, `${method} ${path}`)
    }
})

t.test('credentials are checked before the hooks of the route, and after those of the kind', async t => {
  const ask = async (url: string, headers: object) =>
    (await app.inject({ method: 'POST', url, headers: { ...headers } })).statusCode
  t.equal(await ask('/graphql', { 'idempotency-key': '' }), 401)
  t.equal(await ask('/oauth/token', { 'content-type': 'text/plain' }), 415)
  t.equal(await ask('/mcp', { origin: 'https://evil.example' }), 403)
})

t.test('two features cannot have the same path', async t => {
  const [feature = {}] = (await loadParts('server')).filter(server => server.endpoints)
  t.throws(() => listEndpoints([feature, feature]), { message: /^there are two endpoints \// })
})
