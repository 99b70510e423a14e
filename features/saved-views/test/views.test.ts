/** Saved views over HTTP: whose are seen, who may change them, and what is refused. */
import { t } from 'tap'
import { users } from '../../../store.ts'
import { accessToken } from '../../../test/support/http/http.ts'
import { admin, console_, errors, start } from '../../../test/support/service/administrator.ts'
import { secret } from '../../../test/support/service/secrets.ts'
import { addUser, user } from '../../../test/support/service/service.ts'
import { withViews } from '../views.ts'

const bob = { email: 'bob@example.com', password: secret('bob') }
const view = 'id name query columns shared mayChange'
const listing = `{ savedViews { ${view} } }`
const saving = `mutation ($input: SaveViewInput!) { saveView(input: $input) { view { ${view} } ${errors} } }`
const deletion = `mutation ($id: ID!) { deleteView(id: $id) { deletedId ${errors} } }`
const choosing = `mutation ($id: ID) { setDefaultView(id: $id) { view { id } ${errors} } }`
const lamps = { name: 'Lamps', query: 'q=lamp&order=name', columns: ['supply', 'trait.MadeIn'] }
const missing = [{ code: 'NOT_FOUND', message: 'there is no view with this id', path: ['id'] }]
const missingInput = missing.map(error => ({ ...error, path: ['input', 'id'] }))

t.test('a view is seen by its author, or by all, and changed by its author', async t => {
  const { db, ask, tokenOf } = await start(t)
  await addUser(db, { ...bob, role: 'editor' })
  const [ada, other] = await Promise.all([user, bob].map(who => tokenOf(who, 'read write')))
  const root = await tokenOf(admin, 'read write admin')
  const save = async (as: string | undefined, input: object) =>
    (await ask(saving, { input }, as)).data.saveView
  const list = async (as: string | undefined) => (await ask(listing, {}, as)).data.savedViews

  const { view: mine, userErrors } = await save(ada, lamps)
  t.same(userErrors, [])
  t.match(mine, { ...lamps, shared: false, mayChange: true })
  const { view: common } = await save(ada, { ...lamps, name: 'All lamps', shared: true })
  t.same(await list(ada), [common, mine])
  t.same(await list(other), [{ ...common, mayChange: false }])
  t.same(await list(root), [common])

  t.same(await save(other, { ...lamps, id: common.id }), { view: null, userErrors: missingInput })
  t.same(
    await save(root, { ...lamps, id: mine.id }),
    { view: null, userErrors: missingInput },
    'not even an administrator'
  )
  t.same((await ask(deletion, { id: common.id }, other)).data.deleteView, {
    deletedId: null,
    userErrors: missing
  })
  const { view: renamed } = await save(root, {
    ...lamps,
    id: common.id,
    name: 'Lights',
    shared: true,
    columns: []
  })
  t.same(renamed, { ...common, name: 'Lights', columns: [] })
  t.match(await list(other), [{ name: 'Lights' }])
  const { view: hidden } = await save(ada, { ...lamps, id: common.id, shared: false })
  t.equal(hidden.id, common.id)
  t.same(await list(other), [])
  t.match((await ask(deletion, { id: mine.id }, ada)).data.deleteView, { deletedId: mine.id, userErrors: [] })
  t.same(await list(ada), [hidden])
})

t.test('who may only read sees the views for all, and saves none', async t => {
  const { db, ask, tokenOf } = await start(t)
  const ada = await tokenOf(user, 'read write')
  await ask(saving, { input: { ...lamps, shared: true } }, ada)
  await users.update(db, user.email, { role: 'reader' })
  const reader = await tokenOf(user, 'read')
  t.match((await ask(listing, {}, reader)).data.savedViews, [{ name: 'Lamps' }])
  t.match((await ask(saving, { input: lamps }, reader)).errors, [{ extensions: { reason: 'MISSING_SCOPE' } }])
})

t.test('with a rule, one sees and saves only views of one’s own', async t => {
  const { db, ask, tokenOf } = await start(t)
  await addUser(db, { ...bob, role: 'editor' })
  const ada = await tokenOf(user, 'read write')
  await ask(saving, { input: { ...lamps, shared: true } }, ada)
  await users.update(db, bob.email, { where: { blockchainId: { equals: 1 } } })
  const other = await tokenOf(bob, 'read write')
  t.same((await ask(listing, {}, other)).data.savedViews, [])
  t.match((await ask(saving, { input: { ...lamps, shared: true } }, other)).data.saveView, {
    view: null,
    userErrors: [{ code: 'OUTSIDE_RULE', message: /^your rule hides templates/, path: [] }]
  })
  t.match((await ask(saving, { input: lamps }, other)).data.saveView, { userErrors: [] })
  t.match((await ask(listing, {}, other)).data.savedViews, [{ name: 'Lamps', shared: false }])
})

t.test('an id that no database can store is the id of no view', async t => {
  const { ask, tokenOf } = await start(t)
  const ada = await tokenOf(user, 'read write')
  t.match((await ask(deletion, { id: '\0' }, ada)).data.deleteView, { userErrors: missing })
})

t.test('a view for all outlives its author; the views of the author do not', async t => {
  const { db, ask, tokenOf, idOf } = await start(t)
  const ada = await tokenOf(user, 'read write')
  await ask(saving, { input: lamps }, ada)
  await ask(saving, { input: { ...lamps, name: 'All lamps', shared: true } }, ada)
  const id = await idOf(user.email)
  await ask('mutation ($id: ID!) { deleteUser(id: $id) { deletedId } }', { id })
  const root = await tokenOf(admin, 'read write admin')
  const [orphan] = (await ask(listing, {}, root)).data.savedViews
  t.match(orphan, { name: 'All lamps', mayChange: true })
  const hidden = await ask(saving, { input: { ...lamps, id: orphan.id, shared: false } }, root)
  t.match(hidden.data.saveView, {
    view: null,
    userErrors: [{ code: 'INVALID', message: /^only its author/ }]
  })
  await ask(saving, { input: lamps }, root)
  const rows = await withViews(db)
    .selectFrom('product_saved_view')
    .select('user_id')
    .where('shared', '=', 0)
    .execute()
  t.same(rows, [{ user_id: await idOf(admin.email) }])
})

t.test('the values of a view are checked and bounded', async t => {
  const { ask, tokenOf } = await start(t)
  const ada = await tokenOf(user, 'read write')
  const refusals: [object, RegExp][] = [
    [{ name: '' }, /^name must be a text of one line/],
    [{ name: 'two\nlines' }, /^name must be/],
    [{ name: ' Lamps' }, /^name must be/],
    [{ name: 'x'.repeat(61) }, /^name must be/],
    [{ name: 'x\ud800' }, /^name must be/],
    [{ query: 'q=a b' }, /^query must be/],
    [{ query: 'q'.repeat(2001) }, /^query must be/],
    [{ columns: [''] }, /^columns must be at most 60 keys/],
    [{ columns: Array(61).fill('supply') }, /^columns must be/],
    [{ columns: ['x'.repeat(121)] }, /^columns must be/]
  ]
  for (const [change, message] of refusals) {
    const { data } = await ask(saving, { input: { ...lamps, ...change } }, ada)
    t.match(
      data.saveView,
      { view: null, userErrors: [{ code: 'INVALID', message }] },
      JSON.stringify(change).slice(0, 60)
    )
  }
  const input = { ...lamps, id: 'no-such-view' }
  t.same((await ask(saving, { input }, ada)).data.saveView, { view: null, userErrors: missingInput })
  for (let number = 0; number < 50; number++) await ask(saving, { input: lamps }, ada)
  t.match((await ask(saving, { input: lamps }, ada)).data.saveView.userErrors, [
    { code: 'INVALID', message: 'you have 50 views: delete one first', path: [] }
  ])
  const { data } = await ask(listing, {}, ada)
  t.equal(data.savedViews.length, 50)
  const again = { ...lamps, id: data.savedViews[0].id, name: 'Lights' }
  t.match((await ask(saving, { input: again }, ada)).data.saveView, { view: { name: 'Lights' } })
})

t.test('a client without a user has no views', async t => {
  const { ask, url } = await start(t)
  const grant = { grant_type: 'client_credentials', username: undefined, password: undefined }
  const token = await accessToken(url, { ...grant, scope: 'read write' }, console_)
  t.match((await ask(saving, { input: lamps }, token)).data.saveView, {
    userErrors: [{ code: 'INVALID', message: 'only users of this service have views' }]
  })
})

t.test('a publisher chooses the view for all that everybody begins with', async t => {
  const { db, ask, tokenOf } = await start(t)
  await addUser(db, { ...bob, role: 'editor' })
  const [ada, other] = await Promise.all([user, bob].map(who => tokenOf(who, 'read write')))
  const trySaving = async (input: object, as: string | undefined) =>
    (await ask(saving, { input }, as)).data.saveView
  const save = async (input: object, as: string | undefined) => (await trySaving(input, as)).view.id
  const choose = async (id: string | null, as: string | undefined) =>
    (await ask(choosing, { id }, as)).data.setDefaultView
  const found = async (as: string | undefined) =>
    (await ask(`{ defaultView { ${view} } }`, {}, as)).data.defaultView

  t.equal(await found(other), null)
  const [lampsOfAll, chairs] = [
    await save({ ...lamps, shared: true }, other),
    await save({ ...lamps, name: 'Chairs', shared: true }, ada)
  ]
  const own = await save(lamps, ada)
  t.same(
    await choose(lampsOfAll, ada),
    { view: { id: lampsOfAll }, userErrors: [] },
    'a view of somebody else, too'
  )
  t.match(await found(other), { id: lampsOfAll, columns: lamps.columns })
  const noRight = [
    { code: 'NO_RIGHT_TO_PUBLISH', message: /^choosing, changing or deleting the default view/, path: [] }
  ]
  t.match(await found(other), { mayChange: false }, 'although the user is its author')
  for (const shared of [true, false])
    t.match(await trySaving({ ...lamps, id: lampsOfAll, columns: ['chain'], shared }, other), {
      ...{ view: null, userErrors: noRight }
    })
  t.match((await ask(deletion, { id: lampsOfAll }, other)).data.deleteView, { userErrors: noRight })
  t.match((await ask(choosing, {}, ada)).errors, [{ extensions: { code: 'BAD_USER_INPUT' } }])
  t.match(await found(other), { id: lampsOfAll, columns: lamps.columns }, 'nothing of that is done')
  const root = await tokenOf(admin, 'read write admin')
  await save({ ...lamps, id: lampsOfAll, columns: ['chain'], shared: true }, root)
  t.match(await found(ada), { id: lampsOfAll, columns: ['chain'] }, 'it stays so when it changes')
  t.match(await choose(chairs, ada), { view: { id: chairs } })
  t.match(await found(other), { id: chairs }, 'at most one')

  t.match(await choose(lampsOfAll, other), {
    view: null,
    userErrors: noRight
  })
  for (const id of [own, 'no-such-view', '\0'])
    t.same(await choose(id, ada), { view: null, userErrors: missing }, id)
  t.match(await found(other), { id: chairs }, 'a refused choice changes nothing')
  await users.update(db, bob.email, { role: 'publisher', where: { blockchainId: { equals: 1 } } })
  const ruled = await tokenOf(bob, 'read write')
  t.equal(await found(ruled), null)
  t.match(await choose(null, ruled), { userErrors: [{ code: 'OUTSIDE_RULE' }] })

  await save({ ...lamps, id: chairs, shared: false }, ada)
  t.equal(await found(ada), null, 'a view that is for all no more')
  await save({ ...lamps, id: chairs, shared: true }, ada)
  t.equal(await found(ada), null, 'also if it is for all again')
  await choose(chairs, ada)
  t.same(await choose(null, ada), { view: null, userErrors: [] })
  t.equal(await found(ada), null)
})
