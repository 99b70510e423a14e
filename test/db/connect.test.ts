// Runs on SQLite only.
import { createHash } from 'node:crypto'
import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { t } from 'tap'
import type { AnyDb } from '../../db/schema.ts'
import { attachReplica } from '../../db/templates/snapshot.ts'
import { openDatabase } from '../../features/database.ts'
import { StartError } from '../../runtime/host-errors.ts'
import { directory } from '../support/database/database.ts'

async function refusal(url: string, options = {}): Promise<string> {
  try {
    await (await openDatabase(url, options)).destroy()
    return 'it was opened'
  } catch (error) {
    if (error instanceof StartError && error.code === 'PTS_BAD_DATABASE') return error.message
    throw error
  }
}

const digest = async (path: string) =>
  createHash('sha256')
    .update(await readFile(path))
    .digest('hex')

t.test('a path with a missing directory is refused, and nothing is created', async t => {
  const path = await directory(t)
  t.match(await refusal(`sqlite:${path}/no/templates.db`), /the directory .*\/no does not exist/)
  t.same(await readdir(path), [])
})

t.test('a directory, and a path below a file, are refused', async t => {
  const path = await directory(t)
  await writeFile(join(path, 'file'), '')
  t.match(await refusal(`sqlite:${path}`), /it is a directory/)
  t.match(await refusal(`sqlite:${path}/file/templates.db`), /is not a directory/)
})

t.test('a file that is not a database is refused and left unchanged', async t => {
  const path = join(await directory(t), 'notes.txt')
  await writeFile(path, 'A list of things to buy, longer than a header of SQLite. '.repeat(20))
  const before = await digest(path)
  t.match(await refusal(`sqlite:${path}`), /not a SQLite database/)
  t.equal(await digest(path), before)
})

t.test('a database of a newer version is refused and left unchanged', async t => {
  const path = join(await directory(t), 'templates.db')
  const db = await openDatabase(`sqlite:${path}`)
  const row = { name: '9999-from-the-future', time: '2030-01-01T00:00:00.000Z' }
  await (db as AnyDb).insertInto('product_migration').values(row).execute()
  await db.updateTable('product_store').set({ oldest_migration: row.name }).execute()
  await db.destroy()
  const before = await digest(path)
  t.match(
    await refusal(`sqlite:${path}`),
    /created by a newer version of product-templates \(migration 9999-from-the-future\)/
  )
  t.equal(await digest(path), before)
})

t.test('a replica of a SQLite database is refused', async t => {
  const db = await openDatabase('sqlite::memory:')
  t.teardown(() => db.destroy())
  await t.rejects(attachReplica(db, 'postgres://localhost/shop', {}), {
    code: 'PTS_BAD_DATABASE',
    message: /only PostgreSQL has replicas/
  })
})

t.test('a database in a read-only directory is refused', async t => {
  // Root may write anywhere but in the kernel's own directories.
  const root = process.getuid?.() === 0
  const path = root ? '/proc/self' : join(await directory(t), 'fixed')
  if (!root) {
    await mkdir(path)
    await chmod(path, 0o555)
  }
  t.match(await refusal(`sqlite:${path}/templates.db`), /cannot be created|read-only/)
})

t.test('a URL of another kind is refused, and nothing is created', async t => {
  for (const url of [
    'mysql://root:s3cr3t@db/x',
    'postgres://root:s3cr3t@%zz/x',
    'templates.db',
    '',
    undefined
  ]) {
    const error = await openDatabase(url as string).catch(error => error)
    t.match(error, { code: 'PTS_BAD_OPTION', message: /^the URL of the database must be `sqlite:<path>`/ })
    t.notMatch(error.message, /s3cr3t/)
  }
})

t.test('with mustExist, the database is not created', async t => {
  const path = await directory(t)
  t.match(await refusal(`sqlite:${path}/templates.db`, { mustExist: true }), /does not exist/)
  t.same(await readdir(path), [])
})

t.test(
  'a new file is for its owner alone, with what SQLite puts beside it; the mode of an old one stays',
  async t => {
    const path = join(await directory(t), 'templates.db')
    const modes = async () => {
      const db = await openDatabase(`sqlite:${path}`)
      const files = ['', '-wal', '-shm'].map(suffix => stat(path + suffix))
      const found = (await Promise.all(files)).map(({ mode }) => (mode & 0o777).toString(8))
      await db.destroy()
      return found
    }
    t.same(await modes(), ['600', '600', '600'])
    await chmod(path, 0o640)
    t.same(await modes(), ['640', '640', '640'])
  }
)
