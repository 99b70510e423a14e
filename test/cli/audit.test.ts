// Runs on SQLite only: import.test.ts and store.test.ts write to both engines.
/** Commands and what they record, and the command that shows it. */
import { userInfo } from 'node:os'
import { type Test, t } from 'tap'
import { noActor, recordEvent } from '../../db/audit/record.ts'
import { transact } from '../../db/transaction.ts'
import { openDatabase } from '../../features/database.ts'
import { migrated, run } from '../support/service/process.ts'
import { remember, secret } from '../support/service/secrets.ts'
import { runInside } from './inside.ts'

async function start(t: Test) {
  const env = { ...(await migrated(t)), ISSUER: 'https://templates.example' }
  const command = async (words: string[], input = '') => {
    const ended = await runInside(t, words, env, input)
    t.equal(ended.code, 0, `${words.join(' ')}: ${ended.stderr}`)
    return ended.stdout
  }
  return { env, command }
}

const lines = (text: string): string[] => text.trimEnd().split('\n')

t.test('each command that changes accounts is recorded, without secrets', async t => {
  const { command } = await start(t)
  const secrets: string[] = []
  const email = 'dana@example.com'
  await command(['user', 'add', 'eve@example.com', '--role', 'editor'], secret('eve'))
  const link = await command(['user', 'add', email, '--link'])
  secrets.push(new URL(link.trim()).searchParams.get('token') as string)
  await command(['user', 'set', email, '--role', 'admin', '--country', 'Kenya'])
  await command(['user', 'passwd', email], secret('dana'))
  secrets.push(
    new URL((await command(['user', 'passwd', email, '--link'])).trim()).searchParams.get('token') as string
  )
  await command(['user', 'disable', email])
  await command(['user', 'enable', email])
  await command(['user', 'delete', email])
  secrets.push((await command(['client', 'add', 'shop', '--scope', 'read', '--scope', 'admin'])).trim())
  await command(['client', 'set', 'shop', '--name', 'Shop'])
  secrets.push((await command(['client', 'secret', 'shop', '--overlap', '1h'])).trim())
  await command(['client', 'disable', 'shop'])
  await command(['client', 'enable', 'shop'])
  await command(['client', 'delete', 'shop'])
  for (const text of secrets) remember(text)

  const text = await command(['audit', '--json', '--limit', '100'])
  const events = JSON.parse(text) as Record<string, object>[]
  t.same(events.map(({ action }) => action).reverse(), [
    'user.add',
    'user.add',
    'user.create_link',
    'user.update',
    'user.set_password',
    'user.create_link',
    'user.disable',
    'user.enable',
    'user.delete',
    'client.add',
    'client.update',
    'client.rotate_secret',
    'client.disable',
    'client.enable',
    'client.delete'
  ])
  const me = { subject: null, clientId: 'command line', name: userInfo().username, address: null }
  for (const event of events) t.match(event, me)
  t.match(events.at(-4)?.details, { email, role: { from: 'publisher', to: 'admin' }, changed: ['country'] })
  for (const text of [...secrets, secret('eve'), secret('dana')])
    t.notOk(JSON.stringify(events).includes(text))
})

t.test('the trail is shown newest first, by filter, and exported as lines', async t => {
  const { env, command } = await start(t)
  for (const id of ['a', 'b', 'c']) remember((await command(['client', 'add', id])).trim())
  await command(['client', 'disable', 'b'])
  const table = lines(await command(['audit']))
  t.match(table[0], /^time +action +actor +client +address +target$/)
  t.match(table[1], /Z +client.disable +\S.* +command line +b$/)
  t.equal(table.length, 5)
  const events = lines((await run(t, ['audit', '--format', 'ndjson'], env)).stdout).map(line =>
    JSON.parse(line)
  )
  t.same(
    events.map(({ action, targetKind, targetId }) => [action, targetKind, targetId]),
    [
      ['client.disable', 'client', 'b'],
      ['client.add', 'client', 'c'],
      ['client.add', 'client', 'b'],
      ['client.add', 'client', 'a']
    ]
  )
  const count = async (...words: string[]) => JSON.parse(await command(['audit', '--json', ...words])).length
  t.same(
    [
      await count('--action', 'client.add'),
      await count('--target', 'b'),
      await count('--actor', userInfo().username),
      await count('--actor', 'nobody'),
      await count('--limit', '2'),
      await count('--since', events[1].time),
      await count('--until', events[1].time),
      await count('--since', '2999-01-01')
    ],
    [3, 2, 4, 0, 2, 2, 2, 0]
  )
  t.equal(await command(['audit', 'show', '--limit', '2']), await command(['audit', '--limit', '2']))
  for (const wrong of [
    ['--since', 'x'],
    ['--limit', '-1'],
    ['--action', 'x'],
    ['--json', '--format', 'ndjson']
  ])
    t.equal((await runInside(t, ['audit', ...wrong], env)).code, 2, wrong.join(' '))
})

t.test('a long trail is exported page by page', async t => {
  const { env } = await start(t)
  const db = await openDatabase(env.DATABASE_URL)
  await transact(db, async transaction => {
    for (let number = 1; number <= 1001; number++)
      await recordEvent(transaction, noActor, 'key.publish', { id: String(number) })
  })
  await db.destroy()
  const targets = async (...words: string[]) =>
    lines((await run(t, ['audit', '--format', 'ndjson', ...words], env)).stdout).map(
      line => JSON.parse(line).targetId
    )
  const all = Array.from({ length: 1001 }, (_, index) => String(1001 - index))
  t.same(await targets(), all)
  t.same(await targets('--limit', '501'), all.slice(0, 501))
})
