/** Administrators cannot lock everybody out. */
import { t } from 'tap'
import { admin, errors, start, wholeTrail } from '../../../test/support/service/administrator.ts'
import { secret } from '../../../test/support/service/secrets.ts'
import { addUser } from '../../../test/support/service/service.ts'

t.test('D05: nobody takes away the last administrator', async t => {
  const { db, ask, idOf, tokenOf } = await start(t)
  const id = await idOf(admin.email)
  const refused = { code: 'LAST_ADMIN', path: ['id'] }
  const attempts = (whom: string) => [
    `updateUser(id: "${whom}", input: { disabled: true }) { ${errors} }`,
    `updateUser(id: "${whom}", input: { firstName: "x", role: publisher }) { ${errors} }`,
    `deleteUser(id: "${whom}") { ${errors} }`
  ]
  await addUser(db, { email: 'off@example.com', role: 'admin' })
  await ask(
    `mutation { updateUser(id: "${await idOf('off@example.com')}", input: { disabled: true }) { ${errors} } }`
  )
  const before = await wholeTrail(db)
  for (const text of attempts(id)) {
    const { data } = await ask(`mutation { done: ${text} }`)
    t.match(data.done.userErrors, [refused], text)
  }
  t.equal(await wholeTrail(db), before, 'nothing is recorded of what did not happen')
  t.match(
    (
      await ask(
        `mutation { done: updateUser(id: "${id}", input: { firstName: "x", role: admin }) { ${errors} } }`
      )
    ).data.done,
    { userErrors: [] }
  )

  const second = { email: 'second@example.com', password: secret('second') }
  await addUser(db, { ...second, role: 'admin' })
  const other = await idOf(second.email)
  const token = await tokenOf(second)
  const demote = (whom: string, as?: string) =>
    ask(`mutation { updateUser(id: "${whom}", input: { role: publisher }) { ${errors} } }`, {}, as)
  const both = await Promise.all([demote(other), demote(id, token)])
  const outcomes = both.map(
    ({ data, errors }) => errors?.[0].extensions.code ?? data.updateUser.userErrors[0]?.code ?? 'done'
  )
  t.equal(outcomes.filter(outcome => outcome === 'done').length, 1, `two at once: ${outcomes}`)
  const admins = await db
    .selectFrom('product_user')
    .select('id')
    .where('role', '=', 'admin')
    .where('time_disabled', 'is', null)
    .execute()
  t.equal(admins.length, 1)
})
