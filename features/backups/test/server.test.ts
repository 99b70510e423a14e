// Runs on SQLite only, in test:all only: the host has the accounts, or the database is in memory.
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import Fastify from 'fastify'
import { type Test, t } from 'tap'
import { store } from '../../../plugins/store.ts'
import { directory, migratedUrl } from '../../../test/support/database/database.ts'
import type { BackupSettings } from '../index.ts'
import { continueSeries, millisecondsUntilDue } from '../series.ts'
import { backups } from '../server.ts'

/** Starts the plugin on a store; `logged` resolves once a message has been logged so often. */
async function keepBackups(t: Test, options: BackupSettings, database: string) {
  const lines: { msg: string; err?: { message: string } }[] = []
  const waiting = new Set<() => void>()
  const write = (line: string) => {
    lines.push(JSON.parse(line))
    for (const look of waiting) look()
  }
  const app = Fastify({ logger: { stream: { write } } })
  t.teardown(() => app.close())
  await app.register(store, { database })
  await app.register(backups, options)
  // A process that does not listen would end.
  await app.listen({ port: 0 })
  const logged = (msg: string, times = 1) =>
    new Promise<typeof lines>(resolve => {
      const look = () => {
        const found = lines.filter(line => line.msg === msg)
        if (found.length >= times) resolve(found)
      }
      waiting.add(look)
      look()
    })
  const failures = () => lines.filter(({ msg }) => msg === 'the backup failed')
  return { app, logged, failures }
}

/** What is not complete yet. */
const left = '.product-templates.part'

t.test('the newest backups are kept, and nothing else is deleted', async t => {
  const backupDir = await directory(t)
  const others = [
    'notes.txt',
    'product-templates-2020-01-01T00-00-00Z.db.old',
    'product-templates.db',
    'product-templates-2020-13-41T00-00-00Z.db'
  ]
  for (const name of others) await writeFile(join(backupDir, name), '')
  const old = ['product-templates-2020-01-01T00-00-00Z.db', 'product-templates-2020-01-02T00-00-00Z.db']
  for (const name of old) await writeFile(join(backupDir, name), '')
  await mkdir(join(backupDir, left))
  await writeFile(join(backupDir, left, 'copy.db'), 'of a killed process')

  const options = { backupDir, backupInterval: 1, backupKeep: 2 }
  const { app, logged, failures } = await keepBackups(t, options, await migratedUrl(t))
  const written = (await logged('backup written', 2)) as unknown as { file: string; deleted: string[] }[]
  await app.close()
  t.same(
    written.slice(0, 2).flatMap(({ deleted }) => deleted),
    old
  )
  const found = await readdir(backupDir)
  t.same(
    others.filter(name => !found.includes(name)),
    []
  )
  const kept = found.filter(name => !others.includes(name)).sort()
  t.equal(kept.length, 4)
  t.same(
    kept,
    kept.filter((_, index) => index % 2 === 0).flatMap(name => [name, `${name}.sha256`])
  )
  t.same(failures(), [])
  const [newest = ''] = kept.slice(-2)
  t.match((await logged('backup written')).at(-1), { file: join(backupDir, newest) })
})

t.test('a backup from the future neither replaces a due one nor counts as kept', async t => {
  const backupDir = await directory(t)
  const names = ['product-templates-2020-01-01T00-00-00Z.db', 'product-templates-2099-01-01T00-00-00Z.db']
  for (const name of names) await writeFile(join(backupDir, name), '')
  const path = (await migratedUrl(t)).slice('sqlite:'.length)
  const options = { interval: 3_600_000, keep: 1 }
  const write = () => continueSeries(path, backupDir, options, new AbortController().signal)
  t.match(await write(), { deleted: [names[0]] })
  t.equal(await write(), undefined, 'none is due')
  t.ok((await readdir(backupDir)).includes(names[1] ?? ''))
})

t.test('of several processes, one writes each backup and nothing of it is deleted by the others', async t => {
  const backupDir = await directory(t)
  const database = await migratedUrl(t)
  const options = { backupDir, backupInterval: 3600, backupKeep: 2 }
  await mkdir(join(backupDir, left))
  const other = new Sqlite(join(backupDir, '.product-templates.lock'))
  other.exec('begin exclusive')
  const path = database.slice('sqlite:'.length)
  const write = () =>
    continueSeries(path, backupDir, { interval: 3_600_000, keep: 2 }, new AbortController().signal)
  t.equal(await write(), undefined)
  t.ok((await readdir(backupDir)).includes(left))
  other.close()
  const started = await Promise.all([1, 2, 3].map(() => keepBackups(t, options, database)))
  await Promise.race(started.map(({ logged }) => logged('backup written')))
  t.equal(await write(), undefined, 'none is due')
  await Promise.all(started.map(({ app }) => app.close()))
  const found = (await readdir(backupDir)).filter(name => name.endsWith('.db'))
  t.equal(found.length, 1)
  t.same(
    started.flatMap(({ failures }) => failures()),
    []
  )
})

t.test('a failure is logged with its reason, and the next backup is written', async t => {
  const backupDir = join(await directory(t), 'not mounted')
  const options = { backupDir, backupInterval: 0.001, backupKeep: 2 }
  const { logged } = await keepBackups(t, options, await migratedUrl(t))
  t.match(await logged('the backup failed'), [{ err: { message: /ENOENT.*not mounted/ } }])
  await mkdir(backupDir)
  await logged('backup written')
})

t.test('an interval goes on after a restart', async t => {
  const now = Date.now()
  const due = (time: number) => Math.round(millisecondsUntilDue({ name: '', time }, 60_000) / 1000)
  t.equal(millisecondsUntilDue(undefined, 60_000), 0)
  t.equal(due(now - 20_000), 40)
  t.equal(due(now - 60_000), 0)
})

t.test('without a file there is nothing to back up', async t => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(store, { database: 'sqlite::memory:' })
  const backupDir = await directory(t)
  await t.rejects(
    async () => {
      await app.register(backups, { backupDir, backupInterval: 60, backupKeep: 1 })
    },
    { code: 'PTS_BAD_OPTION', message: /BACKUP_DIR is for SQLite files/ }
  )
})
