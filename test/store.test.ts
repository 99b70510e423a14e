/** The entry points for code: `product-templates/store` and `product-templates/testing`. */
import { hash } from 'node:crypto'
import { t } from 'tap'
import { defaultValues } from '../domain/columns.ts'
import {
  ArgumentError,
  type AuditActor,
  clients,
  type Db,
  openDatabase,
  StoreError,
  templates,
  users
} from '../store.ts'
import { buildTestService } from '../testing.ts'
import { databaseUrl } from './support/database/database.ts'

const values = {
  ...defaultValues,
  maxItems: 5,
  name: 'Lamp',
  publicProduct: true,
  data: '{"name":"Lamp","attributes":[{"trait_type":"MadeIn","value":"Norway"}]}'
}

t.test('templates are written, found and listed without the service', async t => {
  const db = await openDatabase(await databaseUrl(t))
  t.teardown(() => db.destroy())
  const { product } = await templates.create(db, values)
  t.match(product, { id: 1, revision: 1, ...values })
  t.match(await templates.update(db, 1, { name: 'Torch' }), { product: { revision: 2 }, problems: [] })
  t.match(await templates.find(db, 1), { name: 'Torch', revision: 2 })
  t.match(await templates.findRevision(db, 1, 1), { name: 'Lamp' })
  const sum = hash('sha256', values.data)
  for (const text of [sum, `sha256:${sum.toUpperCase()}`, sum.slice(0, 8)])
    t.match(await templates.findByHash(db, text), { id: 1, revision: 2 })
  t.equal(await templates.findByHash(db, hash('sha256', 'other')), undefined)
  await t.rejects(templates.findByHash(db, 'lamp'), ArgumentError)
  const where = { trait: { type: 'MadeIn', equals: 'Norway' } }
  t.match(await templates.list(db, { where, limit: 1 }), [{ id: 1, name: 'Torch' }])
  for (const wrong of [
    { limit: -2 },
    { offset: -1 },
    { limit: 0.5 },
    { orderBy: { field: 'x', direction: 'ASC' } },
    { orderBy: { field: 'ID', direction: 'ASC', trait: 7 } }
  ])
    await t.rejects(templates.list(db, wrong as never), ArgumentError)
  await t.rejects(
    templates.list(db, { where: { nmae: 'x' } } as never),
    /where\.nmae is not a field of a filter/
  )
  for (const wrong of [
    { and: {} },
    { or: { name: { contains: 'x' } } },
    { name: { startWith: 'T' } },
    { maxItems: { gtt: 1 } },
    { id: { in: 7 } },
    { id: 7 },
    { not: { name: { equals: 7 } } },
    { and: [{ trait: { type: 'x', equal: 1 } }] },
    { and: [null] },
    { trait: { type: null, equals: 'x' } }
  ])
    await t.rejects(templates.list(db, { where: wrong } as never), ArgumentError, JSON.stringify(wrong))
  const withNull = { and: [{}], or: null, id: null, maxItems: {}, name: { equals: 'Torch', in: null } }
  const hasValue = { and: [], not: { trait: { type: 'MadeIn', equals: null, contains: null } } }
  for (const where of [withNull, hasValue])
    t.equal(
      (await templates.list(db, { where } as never)).length,
      1,
      'null counts as absent, unless a trait equals it'
    )
  t.match(await templates.delete(db, 1), { problems: [] })
  t.equal(await templates.find(db, 1), undefined)
  t.match(await templates.restore(db, 1, 1), { product: { revision: 4, name: 'Lamp' } })
  t.match(await templates.create(db, { ...values, maxItems: 0 }), {
    product: null,
    problems: [{ code: 'OUT_OF_RANGE', path: ['maxItems'] }]
  })
})

t.test('a message is checked as in GraphQL', async t => {
  const db = await openDatabase(await databaseUrl(t))
  t.teardown(() => db.destroy())
  await templates.create(db, { ...values, id: 1 })
  for (const message of ['x'.repeat(1001), 'a\0b'])
    await t.rejects(
      templates.restore(db, 1, 1, { author: { subject: null, clientId: null, message } }),
      ArgumentError
    )
})

t.test('in a transaction of the caller, a dry run undoes only its own change', async t => {
  const db = await openDatabase(await databaseUrl(t))
  t.teardown(() => db.destroy())
  await db.transaction().execute(async transaction => {
    await templates.create(transaction, values)
    const tried = await templates.update(transaction, 1, { name: 'Torch' }, { dryRun: true })
    t.match(tried, { isDryRun: true, product: { name: 'Torch' }, problems: [] })
    t.match(await templates.find(transaction, 1), { name: 'Lamp', revision: 1 })
    await templates.update(transaction, 1, { maxItems: 6 })
  })
  t.match(await templates.find(db, 1), { name: 'Lamp', maxItems: 6, revision: 2 })
})

t.test('users and clients are checked like those of the commands', async t => {
  const db = await openDatabase(await databaseUrl(t))
  t.teardown(() => db.destroy())
  const user = await users.add(db, { email: 'Ada@example.com', password: 'pass' })
  t.match(user, { email: 'ada@example.com', disabled: false, wallets: [] })
  t.notOk('passwordHash' in user)
  await t.rejects(users.add(db, { email: 'ada@example.com', password: 'x' }), StoreError)
  await t.rejects(users.add(db, { email: 'nobody', password: 'x' }), ArgumentError)
  await t.rejects(users.add(db, { email: 'a@b', password: '' }), ArgumentError)
  const wrongRule = { email: 'a@b', password: 'pass', where: { nmae: 'x' } }
  await t.rejects(users.add(db, wrongRule), /where\.nmae is not a field of a filter/)
  await t.rejects(users.setPassword(db, 'no@example.com', 'x'), StoreError)
  const { client, secret } = await clients.add(db, { id: 'app', scopes: ['read'] })
  t.match(client, { id: 'app', scopes: ['read'], grantTypes: ['password'] })
  t.not(await clients.rotateSecret(db, 'app'), secret)
  await t.rejects(clients.add(db, { id: 'app' }), StoreError)
  await t.rejects(clients.add(db, { id: 'a:b' }), { message: /id must be/ })
  await t.rejects(clients.add(db, { id: 'b', scopes: ['all'] as never }), {
    message: /scopes must be .* read, write/
  })
})

t.test('a host cannot take away the last administrator by mistake', async t => {
  const db = await openDatabase(await databaseUrl(t))
  t.teardown(() => db.destroy())
  const [email, other] = ['root@example.com', 'other@example.com']
  for (const address of [email, other])
    await users.add(db, { email: address, password: 'pass', role: 'admin' })
  await users.disable(db, other)
  const operator = { subject: null, clientId: 'script', name: 'ops', address: null, isOperator: true }
  const attempts = (...by: [actor?: AuditActor]) => [
    (store: Db) => users.update(store, email, { firstName: 'x', role: 'publisher' }, ...by),
    (store: Db) => users.disable(store, email, ...by),
    (store: Db) => users.delete(store, email, ...by)
  ]
  for (const attempt of [...attempts(), ...attempts({ ...operator, isOperator: false })])
    await db.transaction().execute(async transaction => {
      await t.rejects(async () => void (await attempt(transaction)), {
        name: 'StoreError',
        code: 'PTS_LAST_ADMIN'
      })
    })
  t.match(await users.find(db, email), { firstName: '', role: 'admin', disabled: false })
  const done = await db.selectFrom('product_audit').select('action').execute()
  t.same(done.map(({ action }) => action).sort(), ['user.add', 'user.add', 'user.disable'], 'nothing else')

  await users.update(db, email, { firstName: 'Root', role: 'admin' })
  for (const attempt of attempts(operator)) {
    await users.update(db, email, { role: 'admin' })
    await users.enable(db, email)
    await attempt(db)
  }
  t.equal(await users.find(db, email), undefined)
})

t.test('texts of accounts have no characters that change a terminal or the order of a text', async t => {
  const db = await openDatabase(await databaseUrl(t))
  t.teardown(() => db.destroy())
  await users.add(db, { email: 'ada@example.com', password: 'pass', firstName: 'Zoë محمد' })
  await clients.add(db, { id: 'app', displayName: 'The “App” 🎉' })
  for (const character of [
    '\x1b',
    '\x7f',
    '\x9b',
    '\x9d',
    '\u061c',
    '\u200e',
    '\u202e',
    '\u2066',
    '\u2069'
  ]) {
    const text = `a${character}b`
    const about = encodeURIComponent(character)
    await t.rejects(users.add(db, { email: `${text}@example.com`, password: 'pass' }), ArgumentError, about)
    for (const field of ['firstName', 'lastName', 'country', 'mobile'])
      await t.rejects(
        users.update(db, 'ada@example.com', { [field]: text }),
        ArgumentError,
        `${field} ${about}`
      )
    await t.rejects(users.update(db, 'ada@example.com', { wallets: [text] }), ArgumentError, about)
    await t.rejects(clients.add(db, { id: text }), ArgumentError, about)
    await t.rejects(clients.update(db, 'app', { displayName: text }), ArgumentError, about)
  }
})

t.test('buildTestService gives an app with data, accounts and tokens', async t => {
  const service = await buildTestService({
    templates: [{ id: 0, name: 'Zero' }, values],
    users: [{ email: 'a@example.com', firstName: 'Ada' }],
    clients: [{ id: 'my app' }, { id: 'reader', scopes: ['read'] }]
  })
  t.teardown(() => service.close())
  const { data } = await service.graphql(
    '{ products(orderBy: { field: ID, direction: ASC }) { nodes { id name } } }'
  )
  t.same(data, {
    products: {
      nodes: [
        { id: 0, name: 'Zero' },
        { id: 1, name: 'Lamp' }
      ]
    }
  })
  const write = 'mutation { deleteProduct(id: 0) { userErrors { code } } }'
  const reading = await service.token({ clientId: 'reader' })
  t.match((await service.graphql(write, {}, reading)).errors, [{ extensions: { code: 'FORBIDDEN' } }])
  t.same((await service.graphql(write)).data, { deleteProduct: { userErrors: [] } })
  await t.rejects(service.token({ email: 'b@example.com' }), /no token/)
  await t.rejects(buildTestService({ templates: [{ maxItems: 0 }] }), /maxItems must be/)
})
