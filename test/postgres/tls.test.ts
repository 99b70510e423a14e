// Runs on PostgreSQL only, in test:all only.
/** `sslmode` of the URL, as PostgreSQL documents it. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { generate } from 'selfsigned'
import { type Test, t } from 'tap'
import { openDatabase } from '../../features/database.ts'
import { StartError } from '../../runtime/host-errors.ts'
import { directory } from '../support/database/database.ts'
import { startPostgres } from '../support/postgres/postgres.ts'

/** A server with a certificate for 127.0.0.1, and the file that says to trust it. */
async function tlsServer(t: Test) {
  const extensions = [{ name: 'subjectAltName' as const, altNames: [{ type: 7 as const, ip: '127.0.0.1' }] }]
  const { cert, private: key } = await generate([{ name: 'commonName', value: 'postgres.test' }], {
    extensions
  })
  const server = await startPostgres({ ssl: 'on' }, { 'server.crt': cert, 'server.key': key })
  t.teardown(() => server.stop())
  const trusted = join(await directory(t), 'root.crt')
  await writeFile(trusted, cert)
  return { url: server.url, trusted }
}

/** Whether the connection is encrypted, or why there is none. */
async function encrypted(url: string, parameters: Record<string, string>): Promise<boolean | string> {
  const changed = new URL(url)
  for (const [name, value] of Object.entries(parameters)) changed.searchParams.set(name, value)
  try {
    const db = await openDatabase(changed.href, { databaseStartTimeout: 0 })
    const { rows } = await sql<{
      ssl: boolean
    }>`select ssl from pg_stat_ssl where pid = pg_backend_pid()`.execute(db)
    await db.destroy()
    return rows[0]?.ssl === true
  } catch (error) {
    if (!(error instanceof StartError)) throw error
    return error.message
  }
}

t.test('each mode does what it is named for', async t => {
  const { url, trusted } = await tlsServer(t)
  const byName = url.replace('127.0.0.1', 'localhost')
  t.equal(await encrypted(url, {}), false, 'plain when nothing is said')
  t.equal(await encrypted(url, { sslmode: 'disable' }), false)
  t.equal(await encrypted(url, { sslmode: 'require' }), true, 'whoever answers')
  t.match(await encrypted(url, { sslmode: 'verify-full' }), /self-signed certificate/)
  t.equal(await encrypted(url, { sslmode: 'verify-full', sslrootcert: trusted }), true)
  t.match(
    await encrypted(byName, { sslmode: 'verify-full', sslrootcert: trusted }),
    /Hostname\/IP does not match/
  )
  t.equal(await encrypted(byName, { sslmode: 'verify-ca', sslrootcert: trusted }), true, 'by any name')
  t.match(await encrypted(url, { sslmode: 'verify-full', sslrootcert: `${trusted}x` }), /ENOENT/)
})
