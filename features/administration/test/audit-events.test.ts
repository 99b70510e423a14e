/** The audit trail over HTTP. */
import { sql } from 'kysely'
import { t } from 'tap'
import {
  authorization,
  authorizePath,
  redirectUri,
  TestBrowser
} from '../../../test/support/browser/browser.ts'
import { basic, tokenRequest } from '../../../test/support/http/http.ts'
import { admin, errors, good, start, wholeTrail } from '../../../test/support/service/administrator.ts'
import { addClient, user } from '../../../test/support/service/service.ts'

t.test('D06: the trail is read by page and filter, and refuses changes', async t => {
  const { db, ask, idOf } = await start(t)
  const id = await idOf(user.email)
  for (const name of ['a', 'b', 'c'])
    await ask(`mutation { updateUser(id: "${id}", input: { firstName: "${name}" }) { ${errors} } }`)
  await ask(`mutation { endSessions(id: "${id}") { ${errors} } }`)
  const read = async (given: string) =>
    (
      await ask(
        `{ auditEvents(${given}) { nodes { id action time } edges { cursor } pageInfo { hasNextPage } } }`
      )
    ).data.auditEvents
  const all = await read('first: 4')
  t.same(
    all.nodes.map(({ action }: { action: string }) => action),
    ['user.end_sessions', 'user.update', 'user.update', 'user.update']
  )
  t.equal(all.pageInfo.hasNextPage, false)
  const page = await read('first: 1')
  t.equal(page.pageInfo.hasNextPage, true)
  t.same((await read(`first: 3, after: "${page.edges[0].cursor}"`)).nodes, all.nodes.slice(1))
  const count = async (given: string) => (await read(given)).nodes.length
  t.same(
    [
      await count('action: "user.update"'),
      await count(`actor: "${admin.email}"`),
      await count(`actor: "${await idOf(admin.email)}"`),
      await count('actor: "console", action: "user.end_sessions"'),
      await count('actor: "nobody"'),
      await count(`target: "${id}"`),
      await count(`since: "${all.nodes[1].time}"`),
      await count(`until: "${all.nodes[1].time}"`)
    ],
    [3, 4, 4, 1, 0, 4, 2, 2]
  )
  for (const wrong of ['since: "yesterday"', 'after: "x"', 'first: 101'])
    t.match((await ask(`{ auditEvents(${wrong}) { nodes { id } } }`)).errors, [
      { extensions: { code: 'BAD_USER_INPUT' } }
    ])

  const before = await wholeTrail(db)
  const row = await db.selectFrom('product_audit').selectAll().executeTakeFirstOrThrow()
  await t.rejects(sql`update product_audit set action = 'x'`.execute(db), /append-only/)
  await t.rejects(sql`delete from product_audit where sequence = ${row.sequence}`.execute(db), /append-only/)
  const isPostgres = sql`${0}`.compile(db).sql === '$1'
  if (isPostgres) await t.rejects(sql`truncate product_audit`.execute(db), /append-only/)
  else
    await t.rejects(
      sql`insert or replace into product_audit select * from product_audit`.execute(db),
      /append-only/
    )
  t.equal(await wholeTrail(db), before)
})

t.test('D07: what users do at the login page and at their account is recorded', async t => {
  const { url, db, events, idOf } = await start(t)
  await addClient(db, { id: 'third', grantTypes: ['authorization_code'], redirectUris: [redirectUri] })
  await addClient(db, { id: 'shop', grantTypes: ['password', 'refresh_token'] })
  await tokenRequest(url, {}, { authorization: basic('shop') })
  const browser = new TestBrowser(url)
  const path = authorizePath(authorization({ client_id: 'third' }))
  const fields = { username: user.email, decision: 'login' }
  await browser.submit(await browser.visit(path), { ...fields, password: 'wrong' })
  const consent = await browser.submit(await browser.visit(path), { ...fields, password: user.password })
  await browser.submit(consent, { decision: 'allow' })
  const page = () => browser.visit('/oauth/account')
  for (const client of ['third', 'third', 'shop', 'shop', 'nobody'])
    await browser.submit(await page(), { decision: 'revoke', client })
  await browser.submit(await page(), { decision: 'password', current: user.password, password: good })
  await browser.submit(await page(), { decision: 'everywhere' })
  await tokenRequest(url)
  const actor = { subject: await idOf(user.email), name: user.email, clientId: null, address: '127.0.0.1' }
  t.same(
    ((await events()) as { action: string; actor: object; details: object }[]).map(
      ({ action, actor, details }) => [action, actor, details]
    ),
    [
      ['user.end_sessions', actor, { email: user.email }],
      ['user.change_password', actor, { email: user.email }],
      ['user.revoke_consent', actor, { email: user.email, clientId: 'shop' }],
      ['user.revoke_consent', actor, { email: user.email, clientId: 'third' }],
      ['user.log_in', actor, { email: user.email, clientId: 'third' }]
    ]
  )
})
