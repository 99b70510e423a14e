// Runs in test:all only.
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmod, copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import Sqlite from 'better-sqlite3'
import { sql } from 'kysely'
import { type Test, t } from 'tap'
import { generateSigningKey, sealKey } from '../../accounts/credentials/signing-key.ts'
import { insertSigningKey } from '../../db/accounts/signing-keys.ts'
import { openDatabase } from '../../features/database.ts'
import { directory, engine } from '../support/database/database.ts'
import { onlyOn } from '../support/database/only-on.ts'
import { startIssuer } from '../support/identity/issuer.ts'
import { migrated, run } from '../support/service/process.ts'
import { secret } from '../support/service/secrets.ts'
import { addTemplates } from '../support/service/service.ts'

interface Finding {
  check: string
  status: string
  text: string
  fix?: string
}

/** Runs the doctor; returns the exit code, and the findings by check. */
async function examine(t: Test, env: Record<string, string>, ...words: string[]) {
  const { code, stdout, stderr } = await run(t, ['doctor', '--json', ...words], env)
  if (stdout === '') throw new Error(stderr)
  const findings = JSON.parse(stdout) as Finding[]
  return { code, findings, found: Object.fromEntries(findings.map(({ check, status }) => [check, status])) }
}

const data = '{"attributes":[{"trait_type":"Color","value":"red"}]}'

t.test('a new store has no problems, and checks do not change it', async t => {
  const env = await migrated(t)
  const db = await openDatabase(env.DATABASE_URL)
  t.teardown(() => db.destroy())
  const imported = '2090-01-01T00:00:00.000000Z'
  await addTemplates(db, { data }, { data: '{}', timeCreated: imported, timeModified: imported })
  const { code, findings } = await examine(t, env)
  t.same(
    findings.filter(({ status }) => status !== 'ok'),
    []
  )
  t.equal(code, 0)
  const text = await run(t, ['doctor'], env)
  t.match(text.stdout, /\nok {7}index {7}matches all 2 templates\n/)
})

t.test('damage is found, with how to fix it', async t => {
  const env = await migrated(t)
  t.match(await run(t, ['seed', '--load', '20'], env), { code: 0 })
  const db = await openDatabase(env.DATABASE_URL)
  t.teardown(() => db.destroy())
  const ids = (await db.selectFrom('product_template').select('id').orderBy('id').execute()).map(
    ({ id }) => id
  )
  await sql`delete from product_trait where template_id = ${ids[3]}`.execute(db)
  await db
    .updateTable('product_revision')
    .set({ hash: 'no hash' })
    .where('template_id', '=', ids[4] ?? 0)
    .execute()
  await db
    .deleteFrom('product_revision')
    .where('template_id', '=', ids[5] ?? 0)
    .execute()
  // A template that plain SQL has changed after the loss of its first revision.
  await sql`delete from product_revision where template_id = ${ids[6]}`.execute(db)
  await sql`update product_template set max_items = max_items + 1 where id = ${ids[6]}`.execute(db)
  const key = generateSigningKey('ES256')
  const privateJwk = await sealKey(key.privateJwk, secret('key'))
  await insertSigningKey(db, { id: key.kid, algorithm: key.algorithm, privateJwk }, 'current')
  await sql`update product_signing_key set time_created = '2090-01-01T00:00:00.000000Z'`.execute(db)

  const { code, found, findings } = await examine(t, env)
  t.equal(code, 2)
  t.match(found, {
    migrations: 'ok',
    index: 'problem',
    revisions: 'problem',
    keys: 'problem',
    clock: 'warning',
    demo: 'warning'
  })
  const find = (name: string) => findings.find(({ check }) => check === name)
  t.match(find('index'), { text: `does not match template ${ids[3]} of all 20`, fix: 'reindex' })
  t.match(find('revisions')?.text, `${ids[4]}, ${ids[5]}`)
  t.match(
    findings.filter(({ check }) => check === 'revisions').map(({ text }) => text),
    [String, `revisions are missing: template ${ids[6]}`]
  )
  t.match(find('demo')?.fix, 'product-templates client secret demo-client; product-templates user passwd')
  t.ok(findings.every(({ status, fix }) => status === 'ok' || fix))
  const { findings: again } = await examine(
    t,
    { ...env, KEY_ENCRYPTION_SECRET: secret('key') },
    '--host',
    '0.0.0.0'
  )
  t.equal(again.find(({ check }) => check === 'keys')?.status, 'ok')
  t.equal(again.find(({ check }) => check === 'demo')?.status, 'problem', 'others can reach it')
})

t.test('problems that prevent a start are found', async t => {
  const settings = await examine(t, { PORT: 'x', WORKERS: '0' })
  t.equal(settings.code, 2)
  t.same(
    settings.findings.map(({ check, status }) => `${check} ${status}`),
    ['runtime ok', 'settings problem', 'settings problem']
  )
  const env = await migrated(t)
  const db = await openDatabase(env.DATABASE_URL)
  await sql`delete from product_migration`.execute(db)
  await db.destroy()
  const older = await examine(t, env)
  t.equal(older.code, 2)
  t.match(older.findings.at(-1), {
    check: 'migrations',
    status: 'problem',
    fix: 'product-templates migrate'
  })

  const folder = await directory(t)
  const missing = await examine(t, { DATABASE_URL: `sqlite:${folder}/none.db` })
  t.match(missing, { code: 2, findings: [{}, {}, { status: 'problem', text: /does not exist/ }] })
  t.same(await readdir(folder), [])
  const backups = await examine(t, { ...(await migrated(t)), BACKUP_DIR: join(folder, 'none') })
  if (engine === 'sqlite') t.match(backups, { code: 2, found: { backup: 'problem' } })
})

onlyOn('sqlite', 'the doctor changes no byte', async t => {
  const env = await migrated(t)
  const path = env.DATABASE_URL.slice('sqlite:'.length)
  const open = new Sqlite(path)
  open.pragma('journal_mode = WAL')
  open.exec(`update product_store set oldest_migration = '0000'`)
  const folder = await directory(t)
  // As a killed process leaves it: with a WAL.
  const killed = join(folder, 'killed.db')
  for (const suffix of ['', '-wal']) await copyFile(path + suffix, killed + suffix)
  open.close()
  for (const file of [path, killed]) {
    const read = async () => {
      const names = (await readdir(dirname(file))).filter(
        name => name.startsWith(basename(file)) && !name.endsWith('-shm')
      )
      const texts = await Promise.all(names.map(name => readFile(join(dirname(file), name))))
      return names.map(
        (name, index) =>
          `${name} ${createHash('sha256')
            .update(texts[index] as Buffer)
            .digest('hex')}`
      )
    }
    const before = await read()
    t.match(await examine(t, { DATABASE_URL: `sqlite:${file}` }), { code: 0 })
    t.same(await read(), before)
  }
})

onlyOn(
  'sqlite',
  'files of the database that others can read are named, with the command that mends it',
  async t => {
    const env = await migrated(t)
    const path = env.DATABASE_URL.slice('sqlite:'.length)
    const backups = join(await directory(t), "the owner's")
    await mkdir(backups)
    const db = await openDatabase(env.DATABASE_URL)
    t.teardown(() => db.destroy())
    await addTemplates(db, {})
    t.match(await run(t, ['backup', join(backups, 'b.db')], env), { code: 0 })
    const files = async () => {
      const { findings } = await examine(t, { ...env, BACKUP_DIR: backups })
      return findings.find(({ check }) => check === 'files')
    }
    t.match(await files(), { status: 'ok' })
    const readable = [path, `${path}-wal`, `${path}-shm`, `${path}.before-2026`, join(backups, 'b.db')]
    await writeFile(`${path}.before-2026`, '')
    for (const file of readable) await chmod(file, 0o640)
    await writeFile(join(backups, 'note'), '')
    const found = await files()
    t.match(found, { status: 'warning' })
    for (const file of readable) t.match(found?.text, file)
    t.notMatch(found?.text, 'note')
    t.match(found?.fix, /^chmod go= /)
    await promisify(execFile)('sh', ['-c', found?.fix ?? ''])
    t.match(await files(), { status: 'ok' })
    await chmod(path, 0o604)
    t.match(await files(), { status: 'warning', fix: `chmod go= ${path}` })
  }
)

t.test('issuers whose keys cannot be read are a warning, a wrong list of them is a problem', async t => {
  const env = await migrated(t)
  const issuer = await startIssuer(t)
  const other = await startIssuer(t)
  await other.stop()
  const noKeys = join(t.testdir(), 'keys.json')
  await writeFile(noKeys, '{ "keys": "none" }')
  const entries = [
    ...[issuer, other].map(({ issuer, audience }) => ({ issuer, audience })),
    { issuer: 'https://login.example', audience: 'x', jwks_uri: noKeys }
  ]
  const examined = await examine(t, { ...env, TRUSTED_ISSUERS: JSON.stringify(entries) })
  const issuers = examined.findings.filter(({ check }) => check === 'issuers')
  t.match(issuers, [
    { status: 'ok', text: `${issuer.issuer}: 1 keys` },
    { status: 'warning', text: /fetch failed \(ECONNREFUSED\)/ },
    { status: 'warning', text: /JSON Web Key Set malformed/ }
  ])
  const wrong = await examine(t, { ...env, TRUSTED_ISSUERS: '[{}]' })
  t.match(
    wrong.findings.find(({ check }) => check === 'issuers'),
    { status: 'problem', text: /entry 1/ }
  )
})
