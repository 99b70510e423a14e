/** Behind PgBouncer in transaction mode: a connection lasts for one transaction only. */
import { execFileSync, spawn } from 'node:child_process'
import { chmod, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { type Test, t } from 'tap'
import { migrations } from '../../db/migrate.ts'
import { demo } from '../../seeds/accounts.ts'
import { directory, onServer, postgresUrl } from '../database.ts'
import { accessToken, basic, query, tokenRequest } from '../http.ts'
import { freePort } from '../postgres.ts'
import { run, serve } from '../process.ts'

const demoUser = { username: demo.email, password: demo.password }

function isInstalled(): boolean {
  try {
    execFileSync('pgbouncer', ['--version'])
    return true
  } catch {
    return false
  }
}

/** PgBouncer in front of a server, with fewer connections to it than the instances want. */
async function pgbouncer(t: Test, target: URL): Promise<string> {
  const path = await directory(t)
  const port = await freePort()
  const { hostname, port: targetPort, username, password } = target
  const settings = `
[databases]
* = host=${hostname} port=${targetPort} user=${username} password=${password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 4
max_client_conn = 200
`
  await chmod(path, 0o755)
  await writeFile(join(path, 'pgbouncer.ini'), settings)
  // It refuses to run as root.
  const user = process.getuid?.() === 0 ? ['-u', 'nobody'] : []
  const child = spawn('pgbouncer', ['-q', ...user, join(path, 'pgbouncer.ini')], { stdio: 'ignore' })
  t.teardown(() => child.kill('SIGINT'))
  while (!(await answers(port)));
  const url = new URL(target)
  url.port = String(port)
  return url.href
}

const answers = (port: number) =>
  new Promise<boolean>(resolve => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => setImmediate(resolve, false))
  })

const skip = isInstalled() ? false : 'pgbouncer is not installed'

t.test('instances start, migrate, log in, refresh and read through PgBouncer', { skip }, async t => {
  const direct = await postgresUrl(t)
  const url = await pgbouncer(t, new URL(direct))
  const env = { DATABASE_URL: url, PASSWORD_MEMORY: '7168', ISSUER: 'https://templates.example.com' }
  const all = await Promise.all([1, 2, 3].map(() => serve(t, ['--demo'], env)))
  t.equal(
    (await onServer(direct, 'select * from product_migration')).rowCount,
    Object.keys(migrations).length
  )
  const added = await run(t, ['client', 'add', 'app', '--grant', 'password', '--grant', 'refresh_token'], env)
  const app = { authorization: basic('app', added.stdout.trim()) }

  const logins = await Promise.all(
    Array.from({ length: 30 }, (_, turn) => tokenRequest(all[turn % 3]?.url as string, demoUser, app))
  )
  t.same(new Set(logins.map(({ status }) => status)), new Set([200]))
  const { refresh_token } = (await (logins[0] as Response).json()) as { refresh_token: string }
  const form = { grant_type: 'refresh_token', username: undefined, password: undefined, refresh_token }
  const statuses = await Promise.all(all.map(async ({ url }) => (await tokenRequest(url, form, app)).status))
  t.same(statuses.sort(), [200, 400, 400])
  const token = await accessToken(all[0]?.url as string, demoUser, app)
  const reads = await Promise.all(
    Array.from({ length: 60 }, (_, turn) =>
      query(all[turn % 3]?.url as string, token, '{ allProducts { id } }')
    )
  )
  t.same(new Set(reads.map(({ status }) => status)), new Set([200]))
  t.equal((await onServer(direct, 'select * from pg_locks where locktype = $$advisory$$')).rowCount, 0)
})
