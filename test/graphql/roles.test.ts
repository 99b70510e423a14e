// Runs on SQLite only: what a role may do is decided in memory.
/** What users of each role may do, whatever the scopes of their tokens are. */
import { type Test, t } from 'tap'
import type { Role } from '../../domain/rights.ts'
import { users } from '../../store.ts'
import { authorization, authorizePath, login, redirectUri, TestBrowser } from '../support/browser/browser.ts'
import { accessToken, basic, query, tokenRequest } from '../support/http/http.ts'
import {
  addClient,
  addTemplates,
  addUser,
  service,
  storedTemplates,
  user
} from '../support/service/service.ts'

/** Starts a service with a draft, 1, and a public template, 2, which was a draft in its first revision. */
async function withTemplates(t: Test, role: Role) {
  const running = await service(t)
  await addTemplates(running.db, { id: 1, publicProduct: false }, { id: 2, publicProduct: false })
  await users.update(running.db, user.email, { role: 'publisher' })
  const write = async (text: string) => {
    const { body } = await query(running.url, await accessToken(running.url), `mutation { ${text} }`)
    return body
  }
  await write('updateProduct(id: 2, input: { publicProduct: true }) { userErrors { message } }')
  await users.update(running.db, user.email, { role })
  return { ...running, write }
}

const values = (id: number, publicProduct: boolean) =>
  `{ id: ${id}, blockchainId: 1, maxItems: 1, name: "n${id}", publicProduct: ${publicProduct}, componentName: "DefaultProduct", data: "{}" }`

const errors = 'userErrors { code message }'

/** What an editor may do, and what only a publisher may. */
const forEditors = {
  'create a draft': `createProduct(input: ${values(5, false)}) { ${errors} }`,
  'change a draft': `updateProduct(id: 1, input: { name: "x" }) { ${errors} }`,
  'change a public template': `updateProduct(id: 2, input: { name: "x", publicProduct: true }) { ${errors} }`,
  'change several': `updateProducts(ids: [1, 2], change: { maxItems: 9 }) { count ${errors} }`,
  'import a draft': `importProducts(mode: REPLACE, input: [${values(1, false)}, ${values(2, true)}]) { ${errors} }`,
  'restore a draft': `restoreProduct(id: 1, revision: 1) { ${errors} }`
}
const forPublishers = {
  'create a public template': `createProduct(input: ${values(5, true)}) { ${errors} }`,
  publish: `updateProduct(id: 1, input: { publicProduct: true }) { ${errors} }`,
  'take back': `updateProduct(id: 2, input: { publicProduct: false }) { ${errors} }`,
  'publish several': `updateProducts(ids: [1, 2], change: { maxItems: 9, publicProduct: true }) { ${errors} }`,
  delete: `deleteProduct(id: 1) { ${errors} }`,
  'delete several': `deleteProducts(where: { id: { lte: 2 } }) { ${errors} }`,
  'restore a draft over a public template': `restoreProduct(id: 2, revision: 1) { ${errors} }`,
  'restore several': `restoreProducts(input: [{ id: 1, revision: 1 }, { id: 2, revision: 1 }]) { ${errors} }`,
  'import a public template': `importProducts(mode: CREATE, input: [${values(5, false)}, ${values(6, true)}]) { ${errors} }`,
  'import a draft over a public one': `importProducts(mode: REPLACE, input: [${values(2, false)}]) { ${errors} }`
}

/** Checks that users of a role do all of this. */
async function areDone(t: Test, role: Role, mutations: Record<string, string>) {
  for (const [name, text] of Object.entries(mutations)) {
    const { write } = await withTemplates(t, role)
    const { data, errors } = await write(text)
    t.same(
      [errors, Object.values(data ?? {}).map(payload => (payload as { userErrors: [] }).userErrors)],
      [undefined, [[]]],
      name
    )
  }
}

t.test('an editor writes, but neither publishes nor deletes', async t => {
  await areDone(t, 'editor', forEditors)
  const { write, db } = await withTemplates(t, 'editor')
  const before = await storedTemplates(db)
  for (const [name, text] of Object.entries(forPublishers)) {
    const { data, errors } = await write(text)
    if (/^restore several|^import/.test(name))
      t.match(Object.values(data ?? {}), [{ userErrors: [{ code: 'NO_RIGHT_TO_PUBLISH' }] }], name)
    else t.same(errors?.[0]?.extensions, { code: 'FORBIDDEN', reason: 'NO_RIGHT_TO_PUBLISH' }, name)
    t.same(await storedTemplates(db), before, `${name}: nothing is written`)
    t.equal(
      (await db.selectFrom('product_revision').selectAll().where('template_id', '>', 2).execute()).length,
      0
    )
  }
})

t.test('a publisher does all of it', t => areDone(t, 'publisher', forPublishers))

t.test('an editor does not use the id of a public template that was deleted', async t => {
  const { url, write, db } = await withTemplates(t, 'publisher')
  await write(`deleteProducts(ids: [1, 2]) { ${errors} }`)
  await users.update(db, user.email, { role: 'editor' })
  const pinned = async () => (await fetch(`${url}/metadata/2.json?revision=2`)).status
  t.equal(await pinned(), 200)
  const reused: Record<string, string> = {
    'bring it back': `restoreProduct(id: 2, revision: 2) { ${errors} }`,
    'as a draft': `restoreProduct(id: 2, revision: 1) { ${errors} }`,
    'with others': `restoreProducts(input: [{ id: 1, revision: 1 }, { id: 2, revision: 1 }]) { ${errors} }`,
    'create another': `createProduct(input: ${values(2, false)}) { ${errors} }`,
    'a public one': `createProduct(input: ${values(2, true)}) { ${errors} }`,
    ...Object.fromEntries(
      ['CREATE', 'KEEP', 'REPLACE'].map(mode => [
        `import, ${mode}`,
        `importProducts(mode: ${mode}, input: [${values(1, false)}, ${values(2, false)}]) { ${errors} }`
      ])
    )
  }
  for (const [name, text] of Object.entries(reused)) {
    const { data, errors: refused } = await write(text)
    const [payload] = Object.values(data ?? {}) as ({ userErrors: object[] } | null)[]
    if (payload) t.match(payload.userErrors, [{ code: 'NO_RIGHT_TO_PUBLISH' }], name)
    else t.same(refused?.[0]?.extensions, { code: 'FORBIDDEN', reason: 'NO_RIGHT_TO_PUBLISH' }, name)
    t.equal(await pinned(), 200, name)
  }
  t.same(await storedTemplates(db), [])
  const draft = await write(`createProduct(input: ${values(1, false)}) { ${errors} }`)
  t.same(draft.data?.createProduct, { userErrors: [] }, 'the id of a draft is free')
})

t.test('the scopes of a token are those of client, user and request; a role counts at once', async t => {
  const { url, db } = await service(t)
  const see = async (token: string) =>
    (await query(url, token, '{ viewer { scopes role } }')).body.data.viewer
  const token = await accessToken(url)
  t.same(await see(token), { scopes: ['read', 'write'], role: 'publisher' })
  await users.update(db, user.email, { role: 'reader' })
  t.same(await see(token), { scopes: ['read'], role: 'reader' }, 'issued before')
  const { body } = await query(
    url,
    token,
    `mutation { createProduct(input: ${values(1, false)}) { ${errors} } }`
  )
  t.same(body.errors[0].extensions, { code: 'FORBIDDEN', reason: 'MISSING_SCOPE' })
  const response = (await (await tokenRequest(url)).json()) as { scope: string; access_token: string }
  t.equal(response.scope, 'read')
  await users.update(db, user.email, { role: 'editor' })
  t.same(await see(token), { scopes: ['read', 'write'], role: 'editor' })
  t.same(
    await see(response.access_token),
    { scopes: ['read'], role: 'editor' },
    'a token gets no more than it was issued with'
  )
  const write = await tokenRequest(url, { scope: 'write' })
  t.equal(((await write.json()) as { scope: string }).scope, 'write')
  await users.update(db, user.email, { role: 'reader' })
  const refused = await tokenRequest(url, { scope: 'write' })
  t.same([refused.status, ((await refused.json()) as { error: string }).error], [400, 'invalid_scope'])
})

t.test('a login whose scopes the role does not allow leaves no refresh token', async t => {
  const { url, db } = await service(t)
  await addClient(db, { id: 'app', grantTypes: ['password', 'refresh_token'] })
  await users.update(db, user.email, { role: 'reader' })
  const refused = await tokenRequest(url, { scope: 'write' }, { authorization: basic('app') })
  t.equal(refused.status, 400)
  t.same(await db.selectFrom('product_token_family').select('id').execute(), [])
})

t.test('a role gives a token back what another role had taken', async t => {
  const { url, db } = await service(t)
  const token = await accessToken(url, { scope: 'write' })
  const status = async () =>
    (await query(url, token, `mutation { createProduct(input: ${values(1, false)}) { ${errors} } }`)).status
  await users.update(db, user.email, { role: 'reader' })
  t.same([await status(), await status()], [403, 403])
  await users.update(db, user.email, { role: 'editor' })
  t.equal(await status(), 200)
})

t.test('a role of a newer program has the least rights', async t => {
  const { url, db } = await service(t)
  await addUser(db, { email: 'bob@example.com', role: 'editor' })
  await db
    .updateTable('product_user')
    .set({ role: 'auditor' })
    .where('email', '=', 'bob@example.com')
    .execute()
  const login = await tokenRequest(url, { username: 'bob@example.com' })
  t.equal(((await login.json()) as { scope: string }).scope, 'read')
})

t.test('a refreshed token has the scopes of the role of now', async t => {
  const { url, db } = await service(t)
  await addClient(db, { id: 'app', grantTypes: ['password', 'refresh_token'] })
  const authorization = basic('app')
  const ask = async (parameters: Record<string, string | undefined>) => {
    const response = await tokenRequest(url, parameters, { authorization })
    return (await response.json()) as { scope: string; refresh_token: string }
  }
  const refresh = ({ refresh_token }: { refresh_token: string }, scope?: string) =>
    ask({ grant_type: 'refresh_token', username: undefined, password: undefined, refresh_token, scope })
  const login = await ask({})
  await users.update(db, user.email, { role: 'reader' })
  t.match(await refresh(login, 'write'), { error: 'invalid_scope' }, 'the refresh token is not used up')
  const demoted = await refresh(login)
  t.equal(demoted.scope, 'read')
  await users.update(db, user.email, { role: 'editor' })
  t.equal((await refresh(demoted)).scope, 'read write')
})

t.test('a client without a user writes and publishes as before', async t => {
  const { url, db } = await service(t)
  await addClient(db, { id: 'program', grantTypes: ['client_credentials'] })
  await addTemplates(db, { id: 1 })
  const token = await accessToken(
    url,
    { grant_type: 'client_credentials', username: undefined, password: undefined },
    { authorization: basic('program') }
  )
  const { body } = await query(url, token, `mutation { deleteProduct(id: 1) { ${errors} } } `)
  t.same(body.data.deleteProduct.userErrors, [])
  t.equal((await query(url, token, '{ viewer { role } }')).body.data.viewer.role, null)
})

t.test('nobody is asked to allow what their role does not', async t => {
  const { url, db } = await service(t)
  await addClient(db, { id: 'third', grantTypes: ['authorization_code'], redirectUris: [redirectUri] })
  await users.update(db, user.email, { role: 'reader' })
  const ask = async (scope: string) => {
    const browser = new TestBrowser(url)
    const page = await browser.visit(authorizePath(authorization({ client_id: 'third', scope })))
    return browser.submit(page, login)
  }
  const { text } = await ask('read write')
  t.match(text, 'Read product templates')
  t.notMatch(text, 'Create, change and delete')
  t.equal((await ask('write')).location?.searchParams.get('error'), 'invalid_scope')
})
