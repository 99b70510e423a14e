/** Who may administrate, and that nobody keeps what they read. */
import { t } from 'tap'
import { users } from '../../../store.ts'
import {
  authorization,
  authorizePath,
  pkce,
  redirectUri,
  TestBrowser
} from '../../../test/support/browser/browser.ts'
import { accessToken, graphqlGet, tokenRequest } from '../../../test/support/http/http.ts'
import {
  admin,
  console_,
  mutations,
  queries,
  start,
  wholeTrail
} from '../../../test/support/service/administrator.ts'
import { remember } from '../../../test/support/service/secrets.ts'
import { addUser, user } from '../../../test/support/service/service.ts'

t.test('D01: only the scope admin gives access, and whoever lacks it learns nothing', async t => {
  const { url, db, ask, idOf, tokenOf } = await start(t)
  const before = await wholeTrail(db)
  const others: Record<string, string> = {
    'an editor of the same client': await accessToken(url, { scope: 'read write' }, console_),
    'an administrator without the scope': await tokenOf(admin, 'read write'),
    'the contract': await accessToken(url)
  }
  const id = await idOf(user.email)
  for (const [who, token] of Object.entries(others)) {
    for (const [name, text] of Object.entries(queries)) {
      const { data, errors } = await ask(`{ ${text} }`, {}, token)
      t.same(data, name === 'user' ? { user: null } : null)
      t.same(
        [errors[0].extensions, errors.length],
        [{ code: 'FORBIDDEN', reason: 'MISSING_SCOPE' }, 1],
        `${who}: ${name}`
      )
    }
    for (const [name, text] of Object.entries(mutations(id))) {
      const { data, errors } = await ask(`mutation { ${text} }`, {}, token)
      t.same(
        [data, errors[0].extensions],
        [null, { code: 'FORBIDDEN', reason: 'MISSING_SCOPE' }],
        `${who}: ${name}`
      )
    }
    const { errors } = await ask(
      '{ auditEvents(first: -1, after: "x", since: "y") { nodes { id } } }',
      {},
      token
    )
    t.match(errors, [{ extensions: { code: 'FORBIDDEN' } }], 'before the arguments are checked')
  }
  t.equal(await wholeTrail(db), before)
})

t.test('D02: the scope is what client, user and request share, and never granted by default', async t => {
  const { url, db, ask, tokenOf } = await start(t)
  const scopeOf = async (parameters: Record<string, string | undefined>, headers = {}) => {
    const body = (await (await tokenRequest(url, parameters, headers)).json()) as Record<string, string>
    return body.scope ?? body.error
  }
  const login = { username: admin.email, password: admin.password }
  t.equal(await scopeOf({}), 'read write', 'the contract')
  t.equal(await scopeOf(login), 'read write', 'an administrator, by the contract')
  t.equal(await scopeOf(login, console_), 'read write', 'not without asking')
  t.equal(await scopeOf({ ...login, scope: 'read admin' }), 'invalid_scope', 'not for any client')
  t.equal(await scopeOf({ ...login, scope: 'read write admin' }, console_), 'read write admin')
  t.equal(await scopeOf({ scope: 'read write admin' }, console_), 'read write', 'not for any user')
  t.equal(await scopeOf({ scope: 'admin' }, console_), 'invalid_scope')
  const itself = { grant_type: 'client_credentials', username: undefined, password: undefined }
  t.equal(await scopeOf(itself, console_), 'read write')
  t.equal(await scopeOf({ ...itself, scope: 'read admin' }, console_), 'read admin', 'a client for itself')

  const token = await tokenOf(admin)
  await addUser(db, { email: 'second@example.com', role: 'admin' })
  t.equal((await ask(`{ ${queries.clients} }`, {}, token)).errors, undefined)
  await users.update(db, admin.email, { role: 'publisher' })
  t.match((await ask(`{ ${queries.clients} }`, {}, token)).errors, [{ extensions: { code: 'FORBIDDEN' } }])
  await users.update(db, admin.email, { role: 'admin' })
  t.equal((await ask(`{ ${queries.clients} }`, {}, token)).errors, undefined)
})

t.test('D03: the login page gives it to whoever asks for it and has the role', async t => {
  const { url } = await start(t)
  const scopeOf = async (who: { email: string; password: string }, scope: string | undefined) => {
    const browser = new TestBrowser(url)
    const { verifier, challenge } = pkce()
    const request = authorization({ client_id: 'console', scope, code_challenge: challenge })
    const page = await browser.visit(authorizePath(request))
    const fields = { username: who.email, password: who.password, decision: 'login' }
    const code = (await browser.submit(page, fields)).location?.searchParams.get('code')
    const form = {
      grant_type: 'authorization_code',
      username: undefined,
      password: undefined,
      code: code as string,
      redirect_uri: redirectUri,
      code_verifier: verifier
    }
    return ((await (await tokenRequest(url, form, console_)).json()) as { scope: string }).scope
  }
  t.equal(await scopeOf(admin, 'read admin'), 'read admin')
  t.equal(await scopeOf(admin, undefined), 'read write')
  t.equal(await scopeOf(user, 'read admin'), 'read', 'nobody is refused')
})

t.test('D04: nobody keeps a response of administration', async t => {
  const { url, token, ask } = await start(t)
  const kept = await graphqlGet(url, token, { query: '{ allProducts { id } }' })
  t.match(kept.headers.get('cache-control'), 'private, no-cache')
  for (const text of [...Object.values(queries), `allProducts { id } ${queries.clients}`]) {
    const response = await graphqlGet(url, token, { query: `{ ${text} }` })
    t.same(
      [response.status, response.headers.get('cache-control'), response.headers.get('etag')],
      [200, 'no-store', null],
      text
    )
  }
  const count = async () => (await ask('{ clients { id } }')).data.clients.length
  const before = await count()
  await ask(`mutation { addClient(input: { id: "later" }) { secret } }`).then(({ data }) =>
    remember(data.addClient.secret)
  )
  t.equal(await count(), before + 1, 'the same request is executed again')
})
