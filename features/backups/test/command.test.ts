// Runs on SQLite only, in test:all only: import.test.ts and store.test.ts write to both engines.
import { exec } from 'node:child_process'
import {
  constants,
  type FileHandle,
  open,
  readdir,
  readFile,
  rm,
  truncate,
  writeFile
} from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import Sqlite from 'better-sqlite3'
import { t } from 'tap'
import { runInside } from '../../../test/cli/inside.ts'
import { directory } from '../../../test/support/database/database.ts'
import { accessToken, query } from '../../../test/support/http/http.ts'
import { migrated, run, serve, start } from '../../../test/support/service/process.ts'
import { addClient, addUser } from '../../../test/support/service/service.ts'
import { until } from '../../../test/support/until.ts'
import { openDatabase } from '../../database.ts'

const sh = promisify(exec)
const create = `mutation($name: String!) {
  createProduct(input: { blockchainId: 1, maxItems: 1, name: $name, data: "{}" }) { product { id } }
}`

t.test('a backup of a running service, restored after it has stopped, is served', async t => {
  const env = await migrated(t)
  const db = await openDatabase(env.DATABASE_URL)
  await addUser(db)
  await addClient(db)
  await db.destroy()
  const folder = await directory(t)
  const file = join(folder, 'shop.db')

  const service = await serve(t, [], env)
  const names = async (url: string): Promise<string[]> => {
    const { body } = await query(url, await accessToken(url), '{ allProducts { name } }')
    return body.data.allProducts.map(({ name }: { name: string }) => name).sort()
  }
  const token = await accessToken(service.url, { scope: 'read write' })
  await query(service.url, token, create, { variables: { name: 'before' } })
  const made = await run(t, ['backup', file, '--json'], env)
  t.match(made, { code: 0, stderr: `Wrote ${file} and shop.db.sha256.\n` })
  t.match(JSON.parse(made.stdout), { file, bytes: Number, sha256: /^[\da-f]{64}$/ })
  t.match(await sh('sha256sum --check shop.db.sha256', { cwd: folder }), { stdout: 'shop.db: OK\n' })
  await query(service.url, token, create, { variables: { name: 'after' } })
  // Twice, so that the response is kept.
  for (let times = 0; times < 3; times++) t.same(await names(service.url), ['after', 'before'])

  const again = await run(t, ['backup', file], env)
  t.match(again, { code: 1, stderr: `product-templates: ${file} exists: give --force to replace it\n` })
  const refused = await run(t, ['restore', file], env)
  t.match(refused, { code: 1, stderr: /^product-templates: another process uses the database .*\n$/ })
  t.same((await names(service.url)).length, 2)

  service.child.kill('SIGTERM')
  await service.ended
  const restored = await run(t, ['restore', file, '--json'], env)
  t.match(restored, { code: 0, stderr: /^Restored .*\nThe former database is .*\n$/ })
  t.match(JSON.parse(restored.stdout), { checksum: true, missingMigrations: [], kept: String })
  const second = await serve(t, [], env)
  t.same(await names(second.url), ['before'])
})

/** `NODE_OPTIONS` that run a script before the command. */
const preload = (script: string) => `--import=data:text/javascript,${encodeURIComponent(script)}`

t.test('a killed backup leaves no file that looks like one', async t => {
  const env = await migrated(t)
  const path = env.DATABASE_URL.slice('sqlite:'.length)
  const store = new Sqlite(path)
  store.exec('create table filler as select zeroblob(60000000) as data')
  store.close()
  const folder = await directory(t)
  const file = join(folder, 'b.db')
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGKILL'] as const) {
    // By itself, because a busy test would come too late.
    const NODE_OPTIONS = preload(`import { existsSync } from 'node:fs'
      const look = () => existsSync('${folder}/.b.db.part') ? process.kill(process.pid, '${signal}') : setImmediate(look)
      look()`)
    t.match(await run(t, ['backup', file], { ...env, NODE_OPTIONS }), { code: null, signal })
    const left = await readdir(folder)
    if (signal === 'SIGKILL') t.notOk(left.includes('b.db'))
    else t.same(left, [], `${signal}: not even a part`)
  }
  t.match(await run(t, ['backup', file], env), { code: 0 })
  t.same(await readdir(folder), ['b.db', 'b.db.sha256'])
  t.match(await readFile(`${file}.sha256`, 'utf8'), / {2}b\.db\n$/)
})

t.test('a restore that is stopped leaves the database as it was, and no copy beside it', async t => {
  const env = await migrated(t)
  const path = env.DATABASE_URL.slice('sqlite:'.length)
  const file = join(await directory(t), 'b.db')
  t.match(await run(t, ['backup', file], env), { code: 0 })
  const checksum = await readFile(`${file}.sha256`)
  await rm(`${file}.sha256`)
  await sh(`mkfifo ${file}.sha256`)
  const before = await readdir(dirname(path))
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    const restore = start(t, ['restore', file], env)
    // Fails until somebody reads the pipe: until the database is copied.
    let pipe: FileHandle | undefined
    const openPipe = () => open(`${file}.sha256`, constants.O_WRONLY | constants.O_NONBLOCK)
    await until(async () => {
      pipe = await openPipe().catch(() => undefined)
      return pipe !== undefined
    })
    restore.child.kill(signal)
    await pipe?.writeFile(checksum)
    await pipe?.close()
    t.match(await restore.ended, { code: null, signal, stderr: '' })
    t.same(await readdir(dirname(path)), before)
  }
})

t.test('a signal stops a restore while it copies', async t => {
  const env = await migrated(t)
  const path = env.DATABASE_URL.slice('sqlite:'.length)
  const before = await readdir(dirname(path))
  const file = join(await directory(t), 'b.db')
  await writeFile(file, '')
  await truncate(file, 2 ** 29)
  // Nobody writes into the pipe: a restore that gets so far waits for ever.
  await sh(`mkfifo ${file}.sha256`)
  const restore = start(t, ['restore', file], env)
  await until(async () => (await readdir(dirname(path))).includes(`.${basename(path)}.part`))
  restore.child.kill('SIGINT')
  t.match(await restore.ended, { code: null, signal: 'SIGINT', stderr: '' })
  t.same(await readdir(dirname(path)), before)
})

t.test('a restore that a signal reaches too late says that the database is replaced', async t => {
  const env = await migrated(t)
  const file = join(await directory(t), 'b.db')
  t.match(await run(t, ['backup', file], env), { code: 0 })
  const NODE_OPTIONS = preload(`import fs from 'node:fs/promises'
    import { syncBuiltinESMExports } from 'node:module'
    const { rename } = fs
    fs.rename = (...paths) => { process.kill(process.pid, 'SIGTERM'); return rename(...paths) }
    syncBuiltinESMExports()`)
  const late = await run(t, ['restore', file, '--json'], { ...env, NODE_OPTIONS })
  t.match(late, { code: null, signal: 'SIGTERM', stderr: /^Restored .*\nThe former database is .*\n$/ })
  t.match(JSON.parse(late.stdout), { kept: String })
})

t.test('without a SQLite file there is nothing to copy', async t => {
  const folder = await directory(t)
  const DATABASE_URL = 'postgres://ada:s3cr3t@db.example/shop'
  const backup = await run(t, ['backup', 'a b.dump'], { DATABASE_URL })
  t.equal(backup.code, 2)
  t.match(backup.stderr, "run: pg_dump --format=custom --file='a b.dump' postgres://ada@db.example/shop\n")
  const restore = await run(t, ['restore', 'b.dump'], { DATABASE_URL })
  t.equal(restore.code, 2)
  t.match(
    restore.stderr,
    'run: pg_restore --clean --if-exists --single-transaction --dbname=postgres://ada@db.example/shop b.dump\n'
  )
  t.notMatch(backup.stderr + restore.stderr, /s3cr3t/)
  for (const url of ['ada:s3@cr3t@db/shop', 'a@da:s3cr3t@db/shop', 'db/shop?user=ada&password=s3cr3t'])
    for (const word of ['backup', 'restore']) {
      const { stderr } = await runInside(t, [word, 'b.dump'], { DATABASE_URL: `postgres://${url}` })
      t.match(stderr, /run: pg_.*postgres:.*db\/shop/)
      t.notMatch(stderr, /cr3t/)
    }
  const memory = await run(t, ['backup', join(folder, 'b.db')], { DATABASE_URL: 'sqlite::memory:' })
  t.match(memory, { code: 2, stderr: /a database in memory has no file/ })
  const missing = await run(t, ['backup', join(folder, 'b.db')], { DATABASE_URL: `sqlite:${folder}/none.db` })
  t.match(missing, { code: 2, stderr: /PTS_BAD_DATABASE: cannot use the database .*does not exist/ })
  t.same(await readdir(folder), [])
  await rm(folder, { recursive: true })
})

t.test('the doctor finds that the newest backup is older than two intervals', async t => {
  const env = await migrated(t)
  const folder = await directory(t)
  const hoursAgo = new Date(Date.now() - 3 * 3_600_000).toISOString().slice(0, 19).replaceAll(':', '-')
  await writeFile(join(folder, `product-templates-${hoursAgo}Z.db`), '')
  for (const [interval, status] of [
    ['3600', 'problem'],
    ['7200', 'ok']
  ] as const) {
    const { stdout } = await run(t, ['doctor', '--json'], {
      ...env,
      BACKUP_DIR: folder,
      BACKUP_INTERVAL: interval
    })
    const findings = JSON.parse(stdout) as { check: string; status: string }[]
    t.equal(findings.find(({ check }) => check === 'backup')?.status, status)
  }
})
