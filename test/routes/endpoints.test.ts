// Runs on SQLite only.
/** Compares the table of endpoints, which the documents show, with a service that has all of them. */
import { t } from 'tap'
import { features, loadServerAdditions } from '../../features/load.ts'
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

const endpoints = listEndpoints(await loadServerAdditions())
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
  const schemes = ['Basic', 'Bearer']
  const secured = endpoints.filter(({ auth }) => schemes.includes(auth))
  t.same(new Set(secured.map(({ auth }) => auth)), new Set(schemes))
  for (const { auth, path, methods } of secured)
    for (const method of Object.keys(methods) as ('GET' | 'POST')[]) {
      const { statusCode, headers } = await app.inject({ method, url: path.replace(/:\w+/, 'x') })
      t.equal(statusCode, 401, `${method} ${path}`)
      t.match(headers['www-authenticate'], new RegExp(`^${auth} `), `${method} ${path}`)
    }
})

t.test('two features cannot have the same path', async t => {
  const [feature = {}] = (await loadServerAdditions()).filter(server => server.endpoints)
  t.throws(() => listEndpoints([feature, feature]), { message: /^there are two endpoints \// })
})
