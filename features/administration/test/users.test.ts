/** Administration of users over HTTP. */
import { t } from 'tap'
import { findUserByEmail } from '../../../db/accounts/users.ts'
import { productTemplates } from '../../../index.ts'
import { authorization, authorizePath, login, TestBrowser } from '../../../test/support/browser/browser.ts'
import { accessToken, graphqlRequest, query, tokenRequest } from '../../../test/support/http/http.ts'
import { admin, console_, errors, good, start } from '../../../test/support/service/administrator.ts'
import { remember } from '../../../test/support/service/secrets.ts'
import { addUser, cheapHash, host, user } from '../../../test/support/service/service.ts'

t.test('D10: an invited user sets a password at the link, once', async t => {
  const { url, ask, events, idOf } = await start(t)
  const invite = (input: object) =>
    ask(
      `mutation ($input: InviteUserInput!) { inviteUser(input: $input) { link user { id email role firstName lastLogin } ${errors} } }`,
      { input }
    )
  const { data } = await invite({ email: 'Dana@Example.com', role: 'editor', firstName: 'Dana' })
  const { link, user: invited, userErrors } = data.inviteUser
  t.same(userErrors, [])
  t.match(invited, { email: 'dana@example.com', role: 'editor', firstName: 'Dana', lastLogin: null })
  t.ok(link.startsWith(`${url}/oauth/password?token=`))
  const linkToken = remember(new URL(link).searchParams.get('token') as string)
  const browser = new TestBrowser(url)
  const visit = () => browser.visit(link.slice(url.length))
  const page = await visit()
  t.match((await browser.submit(page, { password: good })).text, /password is set/i)
  t.equal((await visit()).status, 404, 'works once')
  const dana = { email: 'dana@example.com', password: good }
  t.equal((await tokenRequest(url, { username: dana.email, password: dana.password })).status, 200)

  t.match((await invite({ email: 'dana@example.com', role: 'reader' })).data.inviteUser, {
    user: null,
    link: null,
    userErrors: [{ code: 'EXISTS' }]
  })
  t.match(
    (await invite({ email: 'no address', role: 'reader', lastName: 'a\nb' })).data.inviteUser.userErrors,
    [
      { code: 'INVALID', path: ['input', 'email'] },
      { code: 'INVALID', path: ['input', 'lastName'] }
    ]
  )

  const reset = await ask(`mutation { resetPassword(id: "${invited.id}") { link ${errors} } }`)
  const second = remember(new URL(reset.data.resetPassword.link).searchParams.get('token') as string)
  t.equal(
    (await tokenRequest(url, { username: dana.email, password: dana.password })).status,
    200,
    'the old one works until then'
  )
  const again = await browser.visit(reset.data.resetPassword.link.slice(url.length))
  const other = remember('kettle-s3cr3t-violin-harbour')
  await browser.submit(again, { password: other })
  t.equal((await tokenRequest(url, { username: dana.email, password: dana.password })).status, 400)

  const root = await idOf(admin.email)
  const trail = (await events()) as { action: string; targetId: string; actor: object; details: object }[]
  const byRoot = { subject: root, name: admin.email, clientId: 'console', address: '127.0.0.1' }
  const byDana = { subject: invited.id, name: dana.email, clientId: null, address: '127.0.0.1' }
  t.same(
    trail
      .filter(({ targetId }) => targetId === invited.id)
      .map(({ action, actor, details }) => [action, actor, details]),
    [
      ['user.use_link', byDana, { email: dana.email }],
      ['user.create_link', byRoot, { email: dana.email }],
      ['user.use_link', byDana, { email: dana.email }],
      ['user.create_link', byRoot, { email: dana.email }],
      ['user.add', byRoot, { email: dana.email, role: 'editor' }]
    ],
    'refused attempts are not recorded'
  )
  for (const text of [linkToken, second, good, other]) t.notOk(JSON.stringify(trail).includes(text))
})

t.test('users: pages, filters, and what they do', async t => {
  const { url, db, ask, tokenOf } = await start(t, { accountLimit: 2 })
  await addUser(db, {
    email: 'zoe_x@example.com',
    firstName: 'Zoë',
    lastName: 'Ünal',
    role: 'reader',
    wallets: []
  })
  const list = async (given: string) => {
    const { data } = await ask(
      `{ users(${given}) { nodes { email role disabled wallets } edges { cursor } pageInfo { hasNextPage hasPreviousPage } } }`
    )
    return data.users
  }
  const emails = async (given: string) =>
    (await list(given)).nodes.map(({ email }: { email: string }) => email)
  const first = await list('first: 2')
  t.match(first, {
    nodes: [
      { email: user.email, role: 'publisher', wallets: ['0x52908400098527886E0F7030069857D2E4169EE7'] },
      { email: admin.email }
    ],
    pageInfo: { hasNextPage: true, hasPreviousPage: false }
  })
  const next = await list(`first: 2, after: "${first.edges[1].cursor}"`)
  t.match(next, {
    nodes: [{ email: 'zoe_x@example.com' }],
    pageInfo: { hasNextPage: false, hasPreviousPage: true }
  })
  t.same(await emails('search: "BYRON"'), [user.email])
  t.same(await emails('search: "ada b"'), [user.email])
  t.same(await emails('search: "ZOE_X@"'), ['zoe_x@example.com'])
  t.same(await emails('search: "Ünal"'), ['zoe_x@example.com'])
  t.same(await emails('search: "%"'), [], 'no wildcard')
  t.same(await emails('role: admin'), [admin.email])
  t.same(await emails('disabled: true'), [])
  for (const wrong of ['first: 101', 'after: "x"', `search: "${'x'.repeat(321)}"`, 'search: "\\u0000"'])
    t.match(
      (await ask(`{ users(${wrong}) { nodes { id } } }`)).errors,
      [{ extensions: { code: 'BAD_USER_INPUT' } }],
      wrong
    )

  const browser = new TestBrowser(url)
  const page = await browser.visit(authorizePath(authorization({ client_id: 'console' })))
  await browser.submit(page, login)
  await tokenOf(user, 'read')
  for (const password of ['wrong', 'wrong']) await tokenRequest(url, { password })
  const fields = '{ sessions lastLogin failedLogins lockedUntil }'
  const read = async () => (await ask(`{ users(search: "ada") { nodes ${fields} } }`)).data.users.nodes[0]
  const seen = await read()
  t.match(seen, {
    sessions: 2,
    lastLogin: /^\d{4}-.*Z$/,
    failedLogins: 2,
    lockedUntil: /^\d{4}-.*Z$/
  })
  const { id } = (await findUserByEmail(db, user.email)) as { id: string }
  t.match(
    (await ask(`mutation { endSessions(id: "${id}") { user { sessions lockedUntil } ${errors} } }`)).data
      .endSessions,
    {
      user: { sessions: 0, lockedUntil: seen.lockedUntil },
      userErrors: []
    }
  )
  const { location } = await browser.visit(authorizePath(authorization({ client_id: 'console' })))
  t.equal(location, undefined, 'the login page asks again')
})

t.test('updates, disables and deletes users', async t => {
  const { url, ask, idOf, events } = await start(t)
  const id = await idOf(user.email)
  const token = await accessToken(url)
  const update = async (input: string, whom = id) => {
    const { data } = await ask(
      `mutation { updateUser(id: "${whom}", input: ${input}) { user { firstName lastName role disabled wallets } ${errors} } }`
    )
    return data.updateUser
  }
  t.match(await update('{ firstName: "New", role: editor, wallets: [], lastName: null }'), {
    user: { firstName: 'New', lastName: 'Byron', role: 'editor', disabled: false, wallets: [] },
    userErrors: []
  })
  t.match(await update('{ disabled: true }'), { user: { disabled: true } })
  t.equal((await graphqlRequest(url, token, { query: '{ viewer { name } }' })).status, 401)
  t.match(await update('{ disabled: false }'), { user: { disabled: false } })
  t.match(await update('{ disabled: false }'), { user: { disabled: false } })
  t.match(await update('{}', 'nobody'), { user: null, userErrors: [{ code: 'NOT_FOUND', path: ['id'] }] })
  t.match(await update(`{ firstName: "${'x'.repeat(1001)}" }`), {
    userErrors: [{ code: 'INVALID', path: ['input', 'firstName'] }]
  })
  t.match(await update(`{ wallets: ${JSON.stringify(Array(101).fill('0x'))} }`), {
    userErrors: [{ code: 'INVALID', path: ['input', 'wallets'] }]
  })
  t.same((await ask(`mutation { deleteUser(id: "${id}") { deletedId ${errors} } }`)).data.deleteUser, {
    deletedId: id,
    userErrors: []
  })
  t.equal((await ask(`{ user(id: "${id}") { id } }`)).data.user, null)
  const trail = (await events()) as { action: string; details: object }[]
  t.same(
    trail.map(({ action, details }) => [action, details]),
    [
      ['user.delete', { email: user.email }],
      ['user.enable', { email: user.email }],
      ['user.disable', { email: user.email }],
      [
        'user.update',
        { email: user.email, role: { from: 'publisher', to: 'editor' }, changed: ['firstName', 'wallets'] }
      ]
    ]
  )
})

t.test('without passwords, nobody gets a link', async t => {
  const { db } = await start(t)
  const app = host(t)
  await app.register(productTemplates, { db, ...cheapHash, passwordLogin: false })
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  const itself = { grant_type: 'client_credentials', username: undefined, password: undefined }
  const token = await accessToken(url, { ...itself, scope: 'read admin' }, console_)
  const text =
    'mutation { inviteUser(input: { email: "new@example.com", role: reader }) { link userErrors { code message path } } }'
  const { body } = await query(url, token, text)
  t.same(body.data.inviteUser, {
    link: null,
    userErrors: [
      { code: 'INVALID', message: 'PASSWORD_LOGIN is false, so a link cannot set a password', path: [] }
    ]
  })
  t.equal(await findUserByEmail(db, 'new@example.com'), undefined)
})
