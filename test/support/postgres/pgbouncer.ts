import { spawn } from 'node:child_process'
import { chmod, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import type { Test } from 'tap'
import { directory } from '../database/database.ts'
import { locate } from '../programs.ts'
import { until } from '../until.ts'
import { freePort } from './postgres.ts'

/** Starts PgBouncer in transaction mode in front of a server, with fewer connections than its clients need. */
export async function startPgbouncer(t: Test, targetUrl: string): Promise<string> {
  const target = new URL(targetUrl)
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
  // PgBouncer refuses to run as root.
  const user = process.getuid?.() === 0 ? ['-u', 'nobody'] : []
  const child = spawn(locate('pgbouncer'), ['-q', ...user, join(path, 'pgbouncer.ini')], { stdio: 'ignore' })
  t.teardown(() => child.kill('SIGINT'))
  await until(() => answers(port))
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
    socket.once('error', () => resolve(false))
  })
