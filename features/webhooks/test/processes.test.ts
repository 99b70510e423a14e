// Runs in test:all only.
import { t } from 'tap'
import { releaseAllChanges } from '../../../db/templates/changes/changes.ts'
import { webhooks } from '../../../store.ts'
import { scrape } from '../../../test/metrics/scrape.ts'
import { random } from '../../../test/support/generated/seed.ts'
import { renameBy, serveTwice } from '../../../test/support/service/rename.ts'
import { remember } from '../../../test/support/service/secrets.ts'
import { until } from '../../../test/support/until.ts'
import { isSignedWith, type Received, receiver } from './receiver.ts'
import { now } from './setup.ts'

/** Messages that are accepted after one process has taken over. WEBHOOK_MESSAGES makes it longer. */
const more = Number(process.env.WEBHOOK_MESSAGES ?? 60)
const env = {
  ISSUER: 'https://templates.example.com',
  VALIDATION: 'off',
  PRIVATE_NETWORKS: '127.0.0.0/8'
}

t.test('nothing is missed and the order is kept, whoever is killed and whatever fails', async t => {
  const { db, start, instances, token } = await serveTwice(t, env)
  let isCalm = false
  const shop = await receiver(t, (_message, response) => {
    const dice = isCalm ? 1 : random()
    if (dice < 0.05) response.destroy()
    return dice < 0.05 ? undefined : dice < 0.2 ? 500 : 200
  })
  const all = await webhooks.add(db, { url: `${shop.url}/all` })
  const some = await webhooks.add(db, { url: `${shop.url}/some`, where: { componentName: { equals: 'A' } } })
  for (const { secret } of [all, some]) remember(secret)

  const served = async ({ url }: { url: string }) => (await scrape(`${url}/metrics`)).sum('webhooks_served')
  const stopWriting = renameBy(instances, token)

  await until(async () => (await Promise.all(instances.map(served))).some(count => count === 2))
  const leader = (await served(instances[0]!)) === 2 ? 0 : 1
  t.equal(await served(instances[1 - leader]!), 0, 'one process sends')
  await until(() => shop.accepted.length >= 20)
  instances[leader]?.child.kill('SIGKILL')
  await until(async () => (await served(instances[1 - leader]!)) === 2)
  instances[leader] = await start()
  const { length: accepted } = shop.accepted
  await until(() => shop.accepted.length >= accepted + more)
  await stopWriting()

  isCalm = true
  await releaseAllChanges(db)
  const calm = async () => (await webhooks.list(db)).every(({ behind, waiting }) => behind + waiting === 0)
  while (!(await calm())) {
    await now(db)
    const counted = shop.got.length
    await until(async () => shop.got.length > counted || (await calm()))
  }
  t.match(await webhooks.list(db), [{ dead: 0 }, { dead: 0 }])

  const revisions = await db
    .selectFrom('product_revision')
    .select(['template_id as id', 'number'])
    .where('number', '>', 1)
    .orderBy('template_id')
    .orderBy('number')
    .execute()
  const past = await db
    .selectFrom('product_template_past')
    .select(['template_id', 'number', 'component_name'])
    .execute()
  const current = await db
    .selectFrom('product_template')
    .select(['id', 'revision', 'component_name'])
    .execute()
  const component = new Map([
    ...past.map(row => [`${row.template_id}.${row.number}`, row.component_name] as const),
    ...current.map(row => [`${row.id}.${row.revision}`, row.component_name] as const)
  ])
  const expected = revisions.flatMap(({ id, number }) => {
    const [was, is] = [number - 1, number].map(at => component.get(`${id}.${at}`) === 'A')
    if (!was && !is) return []
    return [`product.${was && is ? 'updated' : is ? 'created' : 'deleted'} ${id}.${number}`]
  })
  const told = (path: string) => {
    const accepted = shop.accepted.filter(message => message.path.endsWith(path))
    // A message that is accepted, but not noted before the process is killed, comes again.
    const firsts = [
      ...new Map(accepted.toReversed().map(message => [message.id, message])).values()
    ].toReversed()
    return firsts
      .toSorted((one, other) => one.data.id - other.data.id)
      .map(({ type, data }) => `${type} ${data.id}.${data.revision}`)
  }
  t.same(
    told('/all'),
    revisions.map(({ id, number }) => `product.updated ${id}.${number}`)
  )
  t.same(told('/some'), expected)
  for (const [path, secret] of [
    ['/all', all.secret],
    ['/some', some.secret]
  ] as const)
    t.ok(
      shop.got
        .filter(message => message.path.endsWith(path))
        .every((message: Received) => isSignedWith(secret, message))
    )
  t.comment(`${revisions.length} changes, ${shop.got.length} requests, ${shop.accepted.length} accepted`)
})
