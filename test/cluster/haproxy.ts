import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import type { Test } from 'tap'
import { directory, onServer } from '../support/database/database.ts'
import { hostList } from '../support/postgres/pair.ts'
import { freePort, type PostgresServer } from '../support/postgres/postgres.ts'
import { locate } from '../support/programs.ts'
import { until } from '../support/until.ts'

/** Starts HAProxy with a configuration, which listens on this port. */
export async function startHaproxy(
  t: Test,
  configuration: string,
  port: number,
  env: Record<string, string> = {}
): Promise<void> {
  const file = join(await directory(t), 'haproxy.cfg')
  await writeFile(file, configuration)
  const child = spawn(locate('haproxy'), ['-db', '-f', file], {
    stdio: 'ignore',
    env: { PATH: process.env.PATH, ...env }
  })
  const ended = once(child, 'close')
  t.teardown(async () => {
    child.kill('SIGKILL')
    await ended
  })
  await until(async () => {
    if (child.exitCode !== null) throw new Error(`haproxy does not accept ${configuration}`)
    return accepts(port)
  })
}

const accepts = (port: number): Promise<boolean> =>
  new Promise(resolve => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true))
    socket.once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })

/** The role that the health check connects as, without a password. */
const checker = 'checker'

/** A `pg_hba.conf` for servers behind {@link startBefore}. */
export const openToChecker = `host all ${checker} 127.0.0.1/32 trust
host all,replication postgres 127.0.0.1/32 scram-sha-256
`

/** Starts HAProxy before servers; returns its port. It leads to the one that says it is no standby. */
export async function startBefore(t: Test, servers: PostgresServer[]): Promise<number> {
  await onServer((servers[0] as PostgresServer).url, `create role ${checker} login`)
  const port = await freePort()
  const lines = servers.map((server, index) => `  server s${index} 127.0.0.1:${server.port} check`)
  // Its threads would each take turns of their own, see leadsToPrimary().
  const configuration = `
global
  nbthread 1
defaults
  mode tcp
  timeout connect 1s
  timeout client 1h
  timeout server 1h
  timeout check 1s
listen primary
  bind 127.0.0.1:${port}
  option tcp-check
  tcp-check send-binary ${hex(startupMessage())}
  tcp-check expect binary ${hex(Buffer.from('in_hot_standby\0off\0'))}
  tcp-check send-binary ${hex(terminate)}
  default-server inter 500ms fall 1 rise 1 on-marked-down shutdown-sessions
${lines.join('\n')}
`
  await startHaproxy(t, configuration, port)
  await until(() => leadsToPrimary(hostList(servers[0] as PostgresServer, [port]), servers.length))
  return port
}

/** Servers take turns until the first check has found a standby among them. */
async function leadsToPrimary(url: string, turns: number): Promise<boolean> {
  for (let turn = 0; turn < turns; turn++) {
    // A connection to a server ends when that is found to be a standby.
    const found = await onServer(url, 'select pg_is_in_recovery() as standby').catch(() => undefined)
    if (found?.rows[0].standby !== false) return false
  }
  return true
}

const hex = (bytes: Buffer): string => bytes.toString('hex')

/** PostgreSQL, "Message Formats": Terminate. */
const terminate = Buffer.from('5800000004', 'hex')

/** PostgreSQL, "Message Formats": StartupMessage. The server answers with its parameters, such as `in_hot_standby`. */
function startupMessage(): Buffer {
  const parameters = Buffer.from(`user\0${checker}\0database\0postgres\0\0`)
  const head = Buffer.alloc(8)
  head.writeInt32BE(head.length + parameters.length, 0)
  head.writeInt32BE(3 << 16, 4)
  return Buffer.concat([head, parameters])
}
