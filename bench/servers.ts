import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { startServer } from './server-process.ts'

/** The flags that `npm start` uses. */
export const heapFlags = ['--max-semi-space-size=16', '--no-allocation-site-pretenuring']
const ownMain = new URL('../dist/cli/main.js', import.meta.url).pathname

/** Fills an empty database with `count` templates and the demo credentials. */
export async function seedDatabase(url: string, count: number): Promise<void> {
  await runCommand(url, ['seed', '--load', String(count)])
}

/** Runs a command of the compiled service on a database. Returns its output. */
export async function runCommand(url: string, words: string[]): Promise<string> {
  const env = { ...process.env, DATABASE_URL: url }
  return (await promisify(execFile)(process.execPath, [ownMain, ...words], { env })).stdout.trim()
}

/**
 * Starts the compiled service, or that of another checkout, in a separate process. `env` adds to the default settings.
 */
export async function startService(
  database: string,
  words: string[] = [],
  {
    main = ownMain,
    core,
    env: more = {}
  }: { main?: string | undefined; core?: number | undefined; env?: Record<string, string> } = {}
) {
  const env = { DATABASE_URL: database, PORT: '0', ADDRESS_LIMIT: '0', CLIENT_LIMIT: '0', ...more }
  const server = await startServer([...heapFlags, main, 'serve', ...words], { env, core })
  return { ...server, url: server.firstLine.msg?.replace('Server listening at ', '') as string }
}
