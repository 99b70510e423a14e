/**
 * `npm run bench:soak` sends two hours' worth of mixed requests to one service in five minutes. It prints the growth of
 * memory, handles and file size. In the middle it takes a backup and restores it to another file. `--minutes <number>`
 * sets the length, and `--write` updates bench/soak/README.md. The exit code is 1 if a check fails.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import Sqlite from 'better-sqlite3'
import { runCommand, seedDatabase, startService } from '../servers.ts'
import { loops, type Progress, write, written } from './load.ts'
import { formatReport, judge, type Run } from './report.ts'
import { Requests } from './requests.ts'
import { checkRestored } from './restored.ts'
import { readContents, type Sample, takeSample } from './watch.ts'

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '5' }, write: { type: 'boolean', default: false } }
})
const minutes = Number(values.minutes)
if (!(minutes > 0 && minutes <= 240)) throw new Error('--minutes takes a number up to 240')

const templates = 1000
/** Milliseconds between two samples. */
const interval = 1000

/**
 * Tokens and logins expire during the run, and the cache of responses is full before its middle. No login is locked.
 */
const env = {
  GRAPHQL_RESPONSE_CACHE_SIZE: '16777216',
  ACCESS_TOKEN_TTL: '120',
  REFRESH_TOKEN_TTL: '60',
  PASSWORD_MEMORY: '7168',
  ACCOUNT_LIMIT: '1000000',
  LOG_LEVEL: 'info'
}

const folder = await mkdtemp(join(tmpdir(), 'product-templates-soak-'))
try {
  const run = await soak(join(folder, 'store.db'))
  const report = formatReport(run)
  console.log(report)
  if (values.write) await writeFile(new URL('README.md', import.meta.url), report)
  const faults = judge(run)
  for (const fault of faults) console.error(fault)
  process.exitCode = faults.length > 0 ? 1 : 0
} finally {
  await rm(folder, { recursive: true, force: true })
}

async function soak(path: string): Promise<Run> {
  await seedDatabase(`sqlite:${path}`, templates)
  const client = {
    id: 'soak',
    secret: await runCommand(`sqlite:${path}`, [
      'client',
      'add',
      'soak',
      ...['password', 'refresh_token'].flatMap(grant => ['--grant', grant])
    ])
  }
  const ids = firstIds(path)
  const service = await startService(`sqlite:${path}`, [], { env })
  const requests = new Requests(service.url, client)
  const progress: Progress = { sent: 0, acknowledged: 0 }
  const stopping = new AbortController()
  const running = [
    ...loops.map(loop => loop(requests, stopping.signal)),
    write(requests, ids, progress, stopping.signal)
  ]
  const begun = performance.now()
  const seconds = () => (performance.now() - begun) / 1000
  const samples: Sample[] = []
  const length = minutes * 60
  let backup: Promise<Run['backup']> | undefined
  let before: Run['before'] | undefined
  while (seconds() < length) {
    samples.push(takeSample(service.pid, path, seconds()))
    // After the first half, when caches are full and expired rows are deleted.
    if (!before && seconds() > length / 2) before = { ...readContents(path), sent: requests.sent }
    if (!backup && seconds() > length / 2) backup = backUp(path, ids, progress)
    await setTimeout(interval)
  }
  stopping.abort()
  await Promise.all(running)
  const after = { ...readContents(path), sent: requests.sent }
  const cpuSeconds = service.cpuSeconds()
  await service.stop()
  return {
    samples,
    minutes,
    cpuSeconds,
    errors: requests.errors,
    writes: progress.acknowledged,
    before: before as Run['before'],
    after,
    backup: (await backup) as Run['backup']
  }
}

/** Takes a backup of the service under load and restores it to another file. */
async function backUp(path: string, ids: number[], progress: Progress): Promise<Run['backup']> {
  const file = `${path}.backup`
  const before = progress.acknowledged
  await runCommand(`sqlite:${path}`, ['backup', file])
  const after = progress.sent
  await runCommand(`sqlite:${path}.restored`, ['restore', file])
  return { before, after, last: checkRestored(`${path}.restored`, ids, before, after) }
}

function firstIds(path: string): number[] {
  const file = new Sqlite(path, { readonly: true })
  try {
    return file
      .prepare('select id from product_template order by id limit ?')
      .pluck()
      .all(written) as number[]
  } finally {
    file.close()
  }
}
