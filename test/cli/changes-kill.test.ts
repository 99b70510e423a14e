// Runs in test:all only.
/** A follower of `/changes` sees each change once, however often the instances are killed while others write. */
import { setTimeout } from 'node:timers/promises'
import { t } from 'tap'
import type { Db } from '../../db/schema.ts'
import { openDatabase } from '../../features/database.ts'
import { engine, migratedUrl } from '../support/database/database.ts'
import { type Block, openStream } from '../support/http/event-stream.ts'
import { accessToken } from '../support/http/http.ts'
import { serve } from '../support/service/process.ts'
import { addClient, addTemplates, addUser } from '../support/service/service.ts'
import { until } from '../support/until.ts'

const kills = 2
const env = { PASSWORD_MEMORY: '7168', ISSUER: 'https://templates.example.com' }
const templates = 5
/** Milliseconds between two writes, and between two tries to connect. */
const pause = 10

/** Changes templates until told to stop; some changes are rolled back. */
async function write(db: Db, writer: number, stopped: () => boolean): Promise<void> {
  for (let turn = 0; !stopped(); turn++) {
    const change = db.transaction().execute(async transaction => {
      const id = (writer + turn) % templates
      const name = `${writer}.${turn}`
      await transaction.updateTable('product_template').set({ name }).where('id', '=', id).execute()
      if (turn % 5 === 4) throw new Error('rolled back')
    })
    await change.catch(() => {})
    await setTimeout(pause)
  }
}

t.test('a follower that reconnects to any instance sees each change once', async t => {
  const url = await migratedUrl(t)
  const stores = [await openDatabase(url), await openDatabase(url)] as const
  t.teardown(() => Promise.all(stores.map(db => db.destroy())))
  const [db] = stores
  await addUser(db)
  await addClient(db)
  await addTemplates(db, ...Array.from({ length: templates }, (_, id) => ({ id })))
  const start = () => serve(t, [], { DATABASE_URL: url, ...env })
  // SQLite is for one instance.
  const instances = await Promise.all(engine === 'postgres' ? [start(), start()] : [start()])
  const token = await accessToken(instances[0]?.url ?? '')

  const seen: Block[] = []
  let wanted = Number.POSITIVE_INFINITY
  const follow = async () => {
    for (let turn = 0; seen.length < wanted; turn++) {
      const instance = instances[turn % instances.length]
      const lastEventId = seen.at(-1)?.id
      try {
        const stream = await openStream(instance?.url ?? '', token, { after: 'start', lastEventId })
        while (seen.length < wanted) seen.push(...(await stream.events(1)))
        await stream.close()
      } catch {
        // Killed, or not there yet.
        await setTimeout(pause)
      }
    }
  }
  const following = follow()
  let stopped = false
  const writing = [0, 1, 2].map(writer => write(stores[writer % 2] as Db, writer, () => stopped))
  for (let kill = 0; kill < kills; kill++) {
    const enough = seen.length + 20
    await until(() => seen.length >= enough)
    const index = kill % instances.length
    instances[index]?.child.kill('SIGKILL')
    await instances[index]?.ended
    instances[index] = await start()
  }
  stopped = true
  await Promise.all(writing)
  const revisions = await db.selectFrom('product_revision').select(['template_id', 'number']).execute()
  wanted = revisions.length
  // Wakes a follower that has seen everything already.
  if (seen.length === wanted) await addTemplates(db, { id: templates })
  await following

  t.equal(new Set(seen.map(({ id }) => id)).size, seen.length)
  const numbers = (id: number) => seen.filter(({ data }) => data?.id === id).map(({ data }) => data?.revision)
  for (let id = 0; id < templates; id++)
    t.same(
      numbers(id),
      revisions.filter(({ template_id }) => template_id === id).map((_, index) => index + 1),
      `template ${id}`
    )
  t.comment(`${seen.length} changes`)
})
