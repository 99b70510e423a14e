// Runs on SQLite only: the host refuses before the database is read.
/** What clients learn when the host refuses a request: by `authenticate`, or by a hook of its own. */
import { t } from 'tap'
import { productTemplates } from '../../index.ts'
import { cheapHash, database, host, service } from '../support/service/service.ts'

t.test('a host that throws 401 or 403 refuses a token, and ends a stream', async t => {
  let thrown: unknown
  const { url } = await service(t, {
    changesHeartbeat: 1,
    authenticate() {
      if (thrown !== undefined) throw thrown
      return { subject: 'dana', scopes: ['read'] }
    }
  })
  const refuse = (more: object) => Object.assign(new Error('secret detail'), more)
  for (const [error, headers, status, code, challenge] of [
    [
      refuse({ statusCode: 401 }),
      { authorization: 'Bearer x' },
      401,
      'INVALID_TOKEN',
      ', error="invalid_token"'
    ],
    [refuse({ status: 401 }), { authorization: 'Bearer x' }, 401, 'INVALID_TOKEN', ', error="invalid_token"'],
    [refuse({ statusCode: 401 }), {}, 401, 'MISSING_TOKEN', ''],
    [{ statusCode: 401 }, {}, 401, 'MISSING_TOKEN', ''],
    [
      refuse({ statusCode: 403 }),
      {},
      403,
      'INSUFFICIENT_SCOPE',
      ', error="insufficient_scope", scope="read"'
    ],
    [refuse({ statusCode: 429 }), {}, 429, 'TEMPORARILY_UNAVAILABLE', undefined],
    [refuse({ statusCode: 400 }), {}, 400, 'BAD_REQUEST', undefined]
  ] as const) {
    thrown = error
    const response = await fetch(`${url}/graphql?query={__typename}`, { headers })
    t.match([response.status, await response.json()], [status, { errors: [{ extensions: { code } }] }])
    const expected = challenge === undefined ? null : `Bearer realm="product-templates"${challenge}`
    t.equal(response.headers.get('www-authenticate'), expected, code)
    const other = await fetch(`${url}/changes`, { headers })
    t.match([other.status, await other.json()], [status, { code: code.toLowerCase() }])
  }
  for (const statusCode of [401, 403]) {
    thrown = undefined
    const stream = await fetch(`${url}/changes`, { signal: AbortSignal.timeout(120_000) })
    thrown = refuse({ statusCode })
    t.match(await stream.text(), /not valid any more/)
  }
})

t.test('a hook of the host that refuses a request gives the code of its status', async t => {
  const db = await database(t)
  const app = host(t)
  app.addHook('onRequest', async ({ headers }) => {
    const statusCode = Number(headers['x-status'])
    if (statusCode) throw Object.assign(new Error('secret detail'), { statusCode })
  })
  await app.register(productTemplates, { db, ...cheapHash })
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  for (const [status, code, ofOAuth] of [
    [401, 'INVALID_TOKEN', 'invalid_token'],
    [403, 'FORBIDDEN', 'invalid_request'],
    [429, 'TEMPORARILY_UNAVAILABLE', 'temporarily_unavailable'],
    [418, 'BAD_REQUEST', 'invalid_request']
  ] as const) {
    const init = { method: 'POST', headers: { 'x-status': String(status) } }
    const refused = await fetch(`${url}/graphql`, init)
    t.match([refused.status, await refused.json()], [status, { errors: [{ extensions: { code } }] }])
    t.match(await (await fetch(`${url}/oauth/token`, init)).json(), { error: ofOAuth })
  }
})
