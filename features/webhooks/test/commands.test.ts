/** The commands, and how secrets are stored. */
import { t } from 'tap'
import { copyDatabase } from '../../../cli/database/copy-rows.ts'
import { runInside } from '../../../test/cli/inside.ts'
import { engine, migratedUrl } from '../../../test/support/database/database.ts'
import { run, serve } from '../../../test/support/service/process.ts'
import { remember, secret as testSecret } from '../../../test/support/service/secrets.ts'
import { addTemplates } from '../../../test/support/service/service.ts'
import { until } from '../../../test/support/until.ts'
import { openDatabase } from '../../database.ts'
import { tables } from '../../load.ts'
import { withWebhooks } from '../rows/tables.ts'
import { brief, isSignedWith, type Received, receiver } from './receiver.ts'

t.test('webhooks are added, shown, changed, replayed and removed; their secrets are encrypted', async t => {
  const url = await migratedUrl(t)
  const db = await openDatabase(url)
  t.teardown(() => db.destroy())
  const shop = await receiver(t)
  const first = { DATABASE_URL: url, KEY_ENCRYPTION_SECRET: testSecret('first secret of the keys') }
  const env = { ...first, PRIVATE_NETWORKS: '127.0.0.0/8' }
  const service = await serve(t, [], env)
  const json = async (words: string[], more: Record<string, string> = {}) => {
    const { code, stdout, stderr } = await runInside(t, ['webhook', ...words, '--json'], { ...env, ...more })
    if (code !== 0) throw new Error(stderr)
    return JSON.parse(stdout)
  }
  const where = '{"componentName":{"equals":"A"}}'
  const added = await run(t, ['webhook', 'add', shop.url, '--where', where], env)
  const secret = remember(added.stdout.trim())
  t.match(secret, /^whsec_/)
  const id = /Added webhook (wh_[0-9a-f]{16})\. /.exec(added.stderr)?.[1] ?? ''
  const stored = async () =>
    (await withWebhooks(db).selectFrom('product_webhook').select('secret').executeTakeFirstOrThrow()).secret
  t.match(await stored(), /^eyJ/)
  t.match(await json(['test', id]), { status: 204 })
  await addTemplates(db, { id: 1, componentName: 'A' }, { id: 2, componentName: 'B' })
  const [, message] = await shop.takes(2)
  t.equal(brief(message as Received), 'product.created 1.1')
  t.ok(isSignedWith(secret, message as Received))
  await until(async () => (await json(['show', id])).behind === 0)
  t.match(await json(['list']), [
    {
      id,
      url: shop.url,
      where: JSON.parse(where),
      events: ['created', 'updated', 'deleted'],
      waiting: 0,
      dead: 0
    }
  ])
  t.match(
    (await runInside(t, ['webhook', 'show', id], env)).stdout,
    /^where +\{"componentName":\{"equals":"A"\}\}$/m
  )

  t.match(await json(['set', id, '--no-where', '--event', 'deleted']), { where: null, events: ['deleted'] })
  // At once, whenever the service learns of it.
  await db.deleteFrom('product_template').where('id', '=', 2).execute()
  await shop.takes(3)
  t.equal(brief(shop.accepted[2] as Received), 'product.deleted 2.2')
  await json(['replay', id, '--since', 'start'])
  await shop.takes(4)
  t.equal(shop.accepted[3]?.id, shop.accepted[2]?.id)

  const second = { KEY_ENCRYPTION_SECRET: testSecret('second secret of the keys') }
  const { secret: renewed, overlap } = await json(['secret', id, '--overlap', '1h'])
  t.equal(overlap, 3600)
  const sealed = await stored()
  const old = { KEY_ENCRYPTION_SECRET_OLD: first.KEY_ENCRYPTION_SECRET }
  const reencrypted = await runInside(t, ['keys', 'reencrypt'], { ...env, ...second, ...old })
  t.match(reencrypted.stderr, /^Encrypted 2 keys\./, 'the key that signs tokens, and the webhook')
  t.not(await stored(), sealed)
  await t.rejects(json(['test', id]), /PTS_BAD_KEYS/, 'the former secret does not open it')
  t.match(await json(['test', id], second), { status: 204 })
  for (const each of [secret, remember(renewed)]) t.ok(isSignedWith(each, shop.got.at(-1) as Received))

  const copyUrl = await migratedUrl(t)
  const copy = await openDatabase(copyUrl)
  t.teardown(() => copy.destroy())
  await copyDatabase(db, copy, tables, () => {})
  t.same(
    await withWebhooks(copy).selectFrom('product_webhook').selectAll().execute(),
    await withWebhooks(db).selectFrom('product_webhook').selectAll().execute()
  )

  for (const words of [
    ['add', 'nowhere'],
    ['add', shop.url, '--where', '{'],
    ['add', shop.url, '--event', 'changed'],
    // Such as an unset variable of a script: it must not mean all templates.
    ['add', shop.url, '--where', ''],
    ['set', id, '--where', ''],
    ['set', id],
    ['secret', id, '--overlap', '31d'],
    ['replay', id, '--since', 'yesterday']
  ])
    t.equal((await runInside(t, ['webhook', ...words], env)).code, 2, words.join(' '))
  t.match((await runInside(t, ['webhook', 'show', 'wh_no'], env)).stderr, 'there is no webhook wh_no')
  t.match(await json(['disable', id]), { id })
  t.match(await json(['show', id]), { disabled: true })
  await json(['delete', id])
  t.same(await json(['list']), [])
  const recorded = await db
    .selectFrom('product_audit')
    .select('action')
    .where('target_id', '=', id)
    .where('client_id', '=', 'command line')
    .orderBy('sequence')
    .execute()
  t.same(
    recorded.map(({ action }) => action),
    ['add', 'update', 'replay', 'rotate_secret', 'reencrypt', 'reencrypt', 'disable', 'delete'].map(
      name => `webhook.${name}`
    )
  )
  service.child.kill('SIGTERM')
  const { stdout } = await service.ended
  const errors = stdout.split('\n').filter(line => /"level":(50|60)/.test(line))
  t.same(errors, [], engine)
})
