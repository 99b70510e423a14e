// Runs on SQLite only, alone, in test:all only.
import { createHash } from 'node:crypto'
import * as streams from 'node:fs'
import * as fs from 'node:fs/promises'
import {
  chmod,
  link,
  lstat,
  mkdir,
  readdir,
  readFile,
  readlink,
  rm,
  stat,
  symlink,
  writeFile
} from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import Sqlite from 'better-sqlite3'
import { type Test, t } from 'tap'
import type { AnyDb } from '../../../db/schema.ts'
import { directory, migratedUrl } from '../../../test/support/database/database.ts'
import { needs } from '../../../test/support/programs.ts'
import { type Running, start } from '../../../test/support/service/process.ts'
import { addTemplates, storedTemplates } from '../../../test/support/service/service.ts'
import { until } from '../../../test/support/until.ts'
import { openDatabase } from '../../database.ts'
import { backupFile } from '../backup.ts'
import { restoreFile } from '../restore.ts'

const digest = async (path: string) =>
  createHash('sha256')
    .update(await readFile(path))
    .digest('hex')

/** A store with ten templates, closed; returns its path. */
async function store(t: Test, count = 10): Promise<string> {
  const url = await migratedUrl(t)
  const db = await openDatabase(url)
  await addTemplates(db, ...Array.from({ length: count }, () => ({})))
  await db.destroy()
  return url.slice('sqlite:'.length)
}

/** Calls a job on the open file. */
function onFile<T>(path: string, job: (file: Sqlite.Database) => T): T {
  const file = new Sqlite(path)
  try {
    return job(file)
  } finally {
    file.close()
  }
}

const setItems = (path: string, value: number) =>
  onFile(path, file => file.exec(`update product_template set max_items = ${value}`))
const items = (path: string) =>
  onFile(path, file => file.prepare('select max_items from product_template order by id').pluck().all())

t.test('a backup under constant writes is a state that existed, and writers do not wait for it', async t => {
  const path = await store(t)
  // Large enough for several steps.
  onFile(path, file => file.exec('create table filler as select zeroblob(30000000) as data'))
  const db = await openDatabase(`sqlite:${path}`)
  t.teardown(() => db.destroy())
  let written = 0
  const write = () =>
    db
      .updateTable('product_template')
      .set({ max_items: ++written })
      .where('id', '=', written % 10)
      .execute()
  // Each template has a number of its own before the copy begins.
  while (written < 10) await write()
  let done = false
  const seen: [number, number][] = []
  const before = written
  const backup = backupFile(path, `${path}.backup`, { progress: (...bytes) => seen.push(bytes) }).finally(
    () => {
      done = true
    }
  )
  while (!done) {
    await write()
    await setImmediate()
  }
  const { file, bytes, sha256 } = await backup
  t.ok(written > 50, `${written} writes`)
  const found = items(file) as number[]
  const last = Math.max(...found)
  t.ok(before < last && last < written, `${last} of ${written}`)
  t.same(
    found,
    found.map((_, id) => last - ((last - id) % 10)),
    'each has the last value up to that write'
  )
  t.equal(bytes, (await stat(file)).size)
  t.equal(sha256, await digest(file))
  t.equal(await readFile(`${file}.sha256`, 'utf8'), `${sha256}  ${basename(file)}\n`)
  t.equal((await stat(file)).mode & 0o777, 0o600)
  t.ok(seen.length > 3 && seen.every(([done, total]) => done <= total))
  t.same(
    seen,
    seen.toSorted(([one], [other]) => one - other),
    'it has never started again'
  )
})

t.test('a backup is one file, and its name is not taken from anything else', async t => {
  const path = await store(t)
  const folder = await directory(t)
  const file = join(folder, 'b.db')
  await backupFile(path, file)
  t.same(await readdir(folder), ['b.db', 'b.db.sha256'])
  const before = await digest(file)
  await t.rejects(backupFile(path, file), { message: `${file} exists` })
  setItems(path, 77)
  await backupFile(path, file, { replace: true })
  t.not(await digest(file), before)
  t.match(await readFile(`${file}.sha256`, 'utf8'), await digest(file))

  // In the folder of the database, because a link cannot lead to another file system.
  const sameFile = join(dirname(path), 'other name')
  await link(path, sameFile)
  await symlink(path, join(folder, 'symbolic'))
  const open = await openDatabase(`sqlite:${path}`)
  t.teardown(() => open.destroy())
  for (const [target, message] of [
    [path, /belongs to the database itself/],
    [`${path}-wal`, /belongs to the database itself/],
    [sameFile, /belongs to the database itself/],
    [join(folder, 'symbolic'), /is not a file/],
    [folder, /is not a file/],
    [join(folder, 'no', 'b.db'), /cannot write .*ENOENT/]
  ] as const)
    await t.rejects(backupFile(path, target, { replace: true }), { message }, target)
  t.same((await readdir(folder)).sort(), ['b.db', 'b.db.sha256', 'symbolic'])
})

t.test('a stopped backup leaves nothing, and the next one removes what a killed one left', async t => {
  const path = await store(t)
  onFile(path, file => file.exec('create table filler as select zeroblob(30000000) as data'))
  const file = join(await directory(t), 'b.db')
  const folder = dirname(file)
  const stop = new AbortController()
  const stopped = backupFile(path, file, { signal: stop.signal, progress: () => stop.abort() })
  await t.rejects(stopped, { name: 'AbortError' })
  t.same(await readdir(folder), [])

  await writeFile(join(folder, '.b.db.lock'), '')
  await mkdir(join(folder, '.b.db.part'))
  for (const name of ['copy.db', 'copy.db-journal', 'copy.db.sha256'])
    await writeFile(join(folder, '.b.db.part', name), 'half of a database')
  await backupFile(path, file)
  t.same((await readdir(folder)).sort(), ['b.db', 'b.db.sha256'])
})

t.test('a backup can also be stopped while its checksum is computed', async t => {
  const path = await store(t)
  const file = join(await directory(t), 'b.db')
  const stop = new AbortController()
  const createReadStream = (...given: Parameters<typeof streams.createReadStream>) => {
    stop.abort()
    return streams.createReadStream(...given)
  }
  const mocked = await t.mockImport<typeof import('../backup.ts')>('../backup.ts', {
    'node:fs': { ...streams, createReadStream },
    // The thread is the real one.
    '../../../runtime/package/package-files.ts': await import('../../../runtime/package/package-files.ts')
  })
  await t.rejects(mocked.backupFile(path, file, { signal: stop.signal }), { name: 'AbortError' })
  t.same(await readdir(dirname(file)), [])
})

t.test('of two backups to one file at once, one says that the other is writing it', async t => {
  const path = await store(t)
  const file = join(await directory(t), 'b.db')
  const results = await Promise.allSettled([1, 2].map(() => backupFile(path, file, { replace: true })))
  const { fulfilled = [], rejected = [] } = Object.groupBy(results, ({ status }) => status)
  t.match(rejected, [{ reason: { message: `cannot write ${file}: another backup is writing it` } }])
  t.match(fulfilled, [{ value: { sha256: await digest(file) } }])
  t.match(await readFile(`${file}.sha256`, 'utf8'), await digest(file))
  t.same((await readdir(dirname(file))).sort(), ['b.db', 'b.db.sha256'])
})

t.test('a backup whose checksum has no space does not appear', async t => {
  const path = await store(t)
  const file = join(await directory(t), 'b.db')
  const mocked = await t.mockImport<typeof import('../backup.ts')>('../backup.ts', {
    'node:fs/promises': { ...fs, writeFile: () => Promise.reject(new Error('no space')) },
    // The thread is the real one.
    '../../../runtime/package/package-files.ts': await import('../../../runtime/package/package-files.ts')
  })
  await t.rejects(mocked.backupFile(path, file), { message: `cannot write ${file}: no space` })
  t.same(await readdir(dirname(file)), [])
  await backupFile(path, file)
  const before = await digest(file)
  setItems(path, 77)
  await t.rejects(mocked.backupFile(path, file, { replace: true }), { message: /no space/ })
  t.same((await readdir(dirname(file))).sort(), ['b.db', 'b.db.sha256'])
  t.match(await readFile(`${file}.sha256`, 'utf8'), before, 'the one before stays')
})

t.test('a damaged database is not backed up', async t => {
  const path = await store(t, 500)
  const bytes = await readFile(path)
  bytes.fill(0xff, 40_960, 45_056)
  await writeFile(path, bytes)
  const file = join(await directory(t), 'b.db')
  await t.rejects(backupFile(path, file), { message: /cannot write .*(damaged|malformed)/ })
  t.same(await readdir(dirname(file)), [])
})

t.test('restoring keeps the former database, complete, and removes what belonged to it', async t => {
  const path = await store(t)
  const file = join(await directory(t), 'b.db')
  await backupFile(path, file)
  // Killed: what was committed is in the WAL alone.
  const killed = new Sqlite(path)
  killed.pragma('journal_mode = WAL')
  killed.pragma('wal_autocheckpoint = 0')
  killed.exec('update product_template set max_items = 55')
  for (const suffix of ['', '-wal'])
    await writeFile(join(dirname(file), `killed.db${suffix}`), await readFile(path + suffix))
  killed.close()
  const database = join(dirname(file), 'killed.db')

  const { kept = '', checksum, missingMigrations } = await restoreFile(file, database)
  t.same([checksum, missingMigrations], [true, []])
  t.match(kept, `${database}.before-20`)
  t.equal(await digest(database), await digest(file))
  t.same((await readdir(dirname(file))).sort(), ['b.db', 'b.db.sha256', 'killed.db', basename(kept)])
  t.same(new Set(items(kept)), new Set([55]))
  t.same(new Set(items(database)), new Set([10]))
  // And back again.
  t.match(await restoreFile(kept, database), { checksum: false })
  t.same(new Set(items(database)), new Set([55]))
})

t.test('a restored database has the mode of the one before', async t => {
  const path = await store(t)
  const file = `${path}.backup`
  await backupFile(path, file)
  await chmod(path, 0o640)
  await restoreFile(file, path)
  t.equal((await stat(path)).mode & 0o777, 0o640)
  await rm(path)
  await writeFile(`${path}-wal`, 'of the removed database')
  t.match(await restoreFile(file, path), { kept: undefined })
  t.equal((await stat(path)).mode & 0o777, 0o600)
  t.same(new Set(items(path)), new Set([10]))
})

t.test('a symbolic link stays, and the database behind it is replaced', async t => {
  const path = await store(t)
  const file = join(await directory(t), 'b.db')
  await backupFile(path, file)
  setItems(path, 66)
  const alias = join(dirname(file), 'alias.db')
  await symlink(path, alias)
  const { kept = '' } = await restoreFile(file, alias)
  t.equal(dirname(kept), dirname(path))
  t.ok((await lstat(alias)).isSymbolicLink())
  t.same(new Set(items(path)), new Set([10]))
})

t.test('a missing database is locked until it is restored', async t => {
  const path = await store(t)
  const file = join(await directory(t), 'b.db')
  await backupFile(path, file)
  await rm(path)
  const seen: unknown[] = []
  const rename = async (from: string, to: string) => {
    if (to !== path) return fs.rename(from, to)
    try {
      onFile(path, started => started.exec('pragma busy_timeout = 0; begin immediate'))
    } catch (error) {
      seen.push((error as { code: string }).code)
    }
    seen.push(await restoreFile(file, path).catch(({ message }) => message))
    return fs.rename(from, to)
  }
  const mocked = await t.mockImport<typeof import('../restore.ts')>('../restore.ts', {
    'node:fs/promises': { ...fs, rename },
    // The thread is the real one.
    '../../../runtime/package/package-files.ts': await import('../../../runtime/package/package-files.ts')
  })
  t.match(await mocked.restoreFile(file, path), { kept: undefined })
  t.same(seen, ['SQLITE_BUSY', `cannot restore ${path}: another process is restoring it`])
  t.same(new Set(items(path)), new Set([10]))
  t.same(await readdir(dirname(path)), [basename(path)])
})

t.test('a command that waits for the missing database uses the restored one', needs('Linux'), async t => {
  const path = await store(t)
  const file = join(await directory(t), 'b.db')
  await backupFile(path, file)
  await rm(path)
  let command: Running | undefined
  const rename = async (from: string, to: string) => {
    if (to === path) {
      command = start(t, ['reindex'], { DATABASE_URL: `sqlite:${path}` })
      const { child } = command
      const isOpen = async (fd: string) =>
        (await readlink(`/proc/${child.pid}/fd/${fd}`).catch(() => '')) === path
      await until(async () =>
        (await Promise.all((await readdir(`/proc/${child.pid}/fd`)).map(isOpen))).includes(true)
      )
    }
    return fs.rename(from, to)
  }
  const mocked = await t.mockImport<typeof import('../restore.ts')>('../restore.ts', {
    'node:fs/promises': { ...fs, rename },
    // The thread is the real one.
    '../../../runtime/package/package-files.ts': await import('../../../runtime/package/package-files.ts')
  })
  await mocked.restoreFile(file, path)
  const { code, stderr } = (await command?.ended) ?? {}
  t.equal(code, 0, String(stderr))
})

t.test('a database that is open anywhere is not replaced', async t => {
  const path = await store(t)
  const file = `${path}.backup`
  await backupFile(path, file)
  setItems(path, 66)
  const db = await openDatabase(`sqlite:${path}`)
  await t.rejects(restoreFile(file, path), { message: /another process uses the database/ })
  t.same(new Set(items(path)), new Set([66]))
  t.equal((await storedTemplates(db)).length, 10)
  await db.destroy()
  await restoreFile(file, path)
  t.same(new Set(items(path)), new Set([10]))
})

t.test('an invalid backup changes nothing', async t => {
  const path = await store(t)
  const folder = await directory(t)
  const make = async (name: string, change: (path: string) => unknown) => {
    const file = join(folder, name)
    await backupFile(path, file)
    await change(file)
    return file
  }
  const withoutChecksum = async (file: string) => rm(`${file}.sha256`)
  const newer = await make('newer', async file => {
    await withoutChecksum(file)
    const db = await openDatabase(`sqlite:${file}`)
    const step = { name: '9999-from-the-future', time: '' }
    await (db as AnyDb).insertInto('product_migration').values(step).execute()
    await (db as AnyDb).updateTable('product_store').set({ oldest_migration: step.name }).execute()
    await db.destroy()
  })
  const changed = await make('changed', file => setItems(file, 1))
  const noChecksum = await make('no-checksum', file => writeFile(`${file}.sha256`, 'nothing'))
  const damaged = await make('damaged', async file => {
    await withoutChecksum(file)
    const bytes = await readFile(file)
    await writeFile(file, bytes.fill(0xff, 40_960, 45_056))
  })
  const cut = await make('cut', async file => {
    await withoutChecksum(file)
    await writeFile(file, (await readFile(file)).subarray(0, 100_000))
  })
  const notes = join(folder, 'notes')
  await writeFile(notes, 'A list of things to buy.')
  const empty = join(folder, 'empty')
  await writeFile(empty, '')
  const half = await make('half', file => writeFile(`${file}-wal`, 'x'))
  const before = await digest(path)
  for (const [file, message] of [
    [newer, /created by a newer version .*9999-from-the-future/],
    [changed, /its checksum differs from the one in/],
    [noChecksum, /its checksum differs from the one in/],
    [damaged, /the backup is damaged/],
    [cut, /the backup is damaged/],
    [notes, /the backup is damaged: file is not a database/],
    [empty, /the backup is not a database of product-templates/],
    [half, /is not complete without .*-wal/],
    [path, /is the database itself/],
    [join(folder, 'none'), /ENOENT/]
  ] as const)
    await t.rejects(restoreFile(file, path), { message }, file)
  t.equal(await digest(path), before)
  t.same(await readdir(dirname(path)), [basename(path)])
})

t.test('a damaged database is replaced only if told so', async t => {
  const path = await store(t)
  const file = join(await directory(t), 'b.db')
  await backupFile(path, file)
  await writeFile(path, 'no database any more, but dear to somebody')
  await t.rejects(restoreFile(file, path), { message: /is damaged, .*--force/ })
  const { kept = '' } = await restoreFile(file, path, { replaceDamaged: true })
  t.match(await readFile(kept, 'utf8'), /dear to somebody/)
  t.same(new Set(items(path)), new Set([10]))
})
