/** Identities of users: the command, the audit trail, and what administrators read. */
import { t } from 'tap'
import { inviteUser } from '../../../accounts/users.ts'
import { noActor } from '../../../db/audit/record.ts'
import { runInside } from '../../../test/cli/inside.ts'
import { start } from '../../../test/support/service/administrator.ts'
import { migrated } from '../../../test/support/service/process.ts'
import { asciiSecret } from '../../../test/support/service/secrets.ts'
import { addUser, cheapHash, database } from '../../../test/support/service/service.ts'
import { findOrCreateUser, linkIdentity } from '../identities.ts'
import { withProviders } from '../rows.ts'

const issuer = 'https://login.example'

t.test('the command links, moves and unlinks an identity, and records this', async t => {
  const env = { ...(await migrated(t)), ISSUER: 'https://templates.example' }
  const user = (...words: string[]) => runInside(t, ['user', ...words], env)
  const identities = (name: string, ...words: string[]) => user('identities', `${name}@example.com`, ...words)
  const list = async (name: string) => JSON.parse((await identities(name, '--json')).stdout)
  for (const name of ['eve', 'bob']) t.equal((await user('add', `${name}@example.com`, '--link')).code, 0)
  const link = ['--issuer', issuer, '--link', '7']
  const unlink = ['--issuer', issuer, '--unlink', '7']
  t.equal((await identities('eve', ...link)).code, 0)
  t.equal((await identities('eve', '--link', '7')).code, 2)
  t.same(await list('eve'), [{ issuer, subject: '7' }])
  t.equal((await identities('bob', ...unlink)).code, 1)
  t.equal((await identities('bob', ...link)).code, 0)
  t.same(await list('eve'), [], 'it is moved')
  t.same(JSON.parse((await identities('bob', ...unlink, '--json')).stdout), {
    email: 'bob@example.com',
    issuer,
    subject: '7'
  })
  const audit = async (action: string) =>
    JSON.parse((await runInside(t, ['audit', '--json', '--action', action], env)).stdout)
  t.match(await audit('user.link_identity'), [{ details: { issuer, subject: '7' } }, {}])
  const unlinked = (await audit('user.unlink_identity')).map(
    ({ details }: { details: { email: string } }) => details.email
  )
  t.same(
    unlinked.sort(),
    ['bob@example.com', 'eve@example.com'],
    'it was taken from one, and removed from the other'
  )
})

t.test('administrators read the providers, without secrets, and the identities of each user', async t => {
  const corp = { id: 'corp', name: 'Corp', issuer }
  const configured = [{ ...corp, client_id: 'us', client_secret: asciiSecret('corp') }]
  const { db, ask, idOf } = await start(t, { loginProviders: JSON.stringify(configured) })
  for (const name of ['a', 'b', 'c'])
    await inviteUser(db, { email: `${name}@example.com` }, cheapHash, noActor)
  for (const subject of ['2', '1']) await linkIdentity(db, 'a@example.com', { issuer, subject }, noActor)
  await linkIdentity(db, 'c@example.com', { issuer, subject: '3' }, noActor)
  const { data } = await ask(
    '{ loginProviders { id name issuer } users { nodes { email identities { issuer subject } } } }'
  )
  t.same(data.loginProviders, [corp])
  const found = new Map<string, object[]>(
    data.users.nodes.map(({ email, identities }: { email: string; identities: object[] }) => [
      email,
      identities
    ])
  )
  t.same(found.get('a@example.com'), [
    { issuer, subject: '1' },
    { issuer, subject: '2' }
  ])
  t.same(found.get('b@example.com'), [])
  t.same(found.get('c@example.com'), [{ issuer, subject: '3' }])

  const id = await idOf('c@example.com')
  const selection = 'user { identities { subject } }'
  const again = await ask(
    `query ($id: ID!) { user(id: $id) { identities { subject } } other: user(id: "${await idOf('a@example.com')}") { identities { subject } } }`,
    { id }
  )
  t.same(again.data, {
    user: { identities: [{ subject: '3' }] },
    other: { identities: [{ subject: '1' }, { subject: '2' }] }
  })
  const changed = await ask(
    `mutation { updateUser(id: "${id}", input: { firstName: "C" }) { ${selection} } }`
  )
  t.same(changed.data.updateUser, { user: { identities: [{ subject: '3' }] } })
})

t.test('an identity that several link at once belongs to one user', async t => {
  const db = await database(t)
  const emails = ['a', 'b', 'c', 'd'].map(name => `${name}@example.com`)
  for (const email of emails) await addUser(db, { email })
  await Promise.all(emails.map(email => linkIdentity(db, email, { issuer, subject: '7' }, noActor)))
  t.equal((await withProviders(db).selectFrom('product_identity').selectAll().execute()).length, 1)
})

t.test('first logins at once create one user, even if the address at the provider changes', async t => {
  const db = await database(t)
  const provider = { id: 'corp', name: 'Corp', issuer, client_id: 'us', client_secret: asciiSecret('corp') }
  const logIn = (name: string) =>
    findOrCreateUser(
      db,
      { ...provider, create: { domains: ['example.com'] } },
      { iss: issuer, sub: '7', email: `${name}@example.com`, email_verified: true },
      { cost: cheapHash, request: { ip: '127.0.0.1' } }
    )
  const users = await Promise.all(['a', 'b', 'c', 'd'].map(logIn))
  t.equal(new Set(users.map(({ id }) => id)).size, 1)
  t.equal((await db.selectFrom('product_user').selectAll().execute()).length, 1)
})

t.test('without the setting there are no providers', async t => {
  const { ask } = await start(t)
  t.same((await ask('{ loginProviders { id } }')).data, { loginProviders: [] })
})
