/**
 * Without arguments, runs each test file once; `--rest` runs what that omits. Named files, and those of named folders,
 * run on every engine that they support. `--seconds` and `--seed` are for tests with random requests; `--grep` selects by
 * title. A test file is also a program: `npx node FILE`.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { text } from 'node:stream/consumers'
import { parseArgs } from 'node:util'
import { findFiles, findRuns, type Group, groupRuns } from './files.ts'
import { findFastDirectory, NODE_COMPILE_CACHE } from './support/environment.ts'
import { startPostgres } from './support/postgres/postgres.ts'
import { logDirectory } from './support/service/secrets.ts'

const { values, positionals } = parseArgs({
  options: {
    rest: { type: 'boolean', default: false },
    // Many processes wait for another one, a browser or a deadline.
    jobs: { type: 'string', default: String(availableParallelism() + 2) },
    seconds: { type: 'string' },
    grep: { type: 'string' },
    seed: { type: 'string' }
  },
  allowPositionals: true
})
const named = positionals.map(name => ({ name, files: findFiles(name) }))
const missing = named.filter(({ files }) => files.length === 0)
if (missing.length > 0) {
  console.error(`there is no test in ${missing.map(({ name }) => name).join(', ')}`)
  process.exit(2)
}
const runs = findRuns(named.flatMap(({ files }) => files)).filter(
  ({ isInNpmTest }) => positionals.length > 0 || isInNpmTest !== values.rest
)
const groups = Object.groupBy(groupRuns(runs), ([{ isUndisturbed }]) =>
  isUndisturbed ? 'undisturbed' : 'others'
)
/** Lines of TAP about what passed. */
const uninteresting = /^ *(ok |# Subtest|\d+\.\.|$).*\n/gm
const counts = { pass: 0, fail: 0, skip: 0 }
let failedGroups = 0

if (positionals.length === 0) rmSync(logDirectory, { recursive: true, force: true, maxRetries: 5 })
process.env.TMPDIR = findFastDirectory()
const { TEST_DATABASE_URL: given, ...inherited } = process.env
const needsServer = given === undefined && runs.some(({ engine }) => engine === 'PostgreSQL')
const server = needsServer ? await startPostgres({ fsync: 'off' }) : undefined
const env = {
  NODE_COMPILE_CACHE,
  // Seconds of a process; a slow machine takes minutes.
  TAP_TIMEOUT: String(1800 + 2 * Number(values.seconds ?? 0)),
  ...inherited,
  ...(values.seconds !== undefined && { SECONDS: values.seconds }),
  ...(values.seed !== undefined && { SEED: values.seed }),
  ...(values.grep !== undefined && { TAP_GREP: values.grep })
}
try {
  for (const group of groups.undisturbed ?? []) await runGroup(group)
  await Promise.all(Array.from({ length: Number(values.jobs) }, () => runGroups(groups.others ?? [])))
  // A test that did not run has found nothing.
  const skipsMatter = process.env.CI === 'true' && counts.skip > 0
  console.log(`${counts.pass} passed, ${counts.fail} failed, ${counts.skip} skipped`)
  process.exitCode = failedGroups === 0 && !skipsMatter && counts.pass > 0 ? 0 : 1
} finally {
  await server?.stop()
}
// Exits here, because a library that handles the end of the process would set the exit code to 0.
process.exit()

async function runGroups(groups: Group[]): Promise<void> {
  for (let group = groups.shift(); group; group = groups.shift()) await runGroup(group)
}

async function runGroup(group: Group): Promise<void> {
  const start = performance.now()
  const [{ engine }] = group
  const database = engine === 'PostgreSQL' ? { TEST_DATABASE_URL: given ?? server?.url } : {}
  const files = group.map(({ file }) => file)
  // By this import, tap can replace modules.
  const child = spawn(process.execPath, ['--import=@tapjs/mock/import', 'test/group.ts'], {
    env: { ...env, ...database, TEST_FILES: JSON.stringify(files) },
    stdio: ['ignore', 'pipe', 'pipe']
  })
  const [output, errors, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close')
  ])
  for (const name of ['pass', 'fail', 'skip'] as const) counts[name] += readCount(output, name)
  const seconds = ((performance.now() - start) / 1000).toFixed(1)
  // A library that handles the end of the process may set its exit code to 0.
  const isOk = code === 0 && readCount(output, 'fail') === 0
  console.log(`${isOk ? 'ok' : 'not ok'} - ${engine}, ${seconds} s: ${files.join(' ')}`)
  if (isOk) return
  failedGroups++
  console.log(`${output.replace(uninteresting, '')}${errors}`)
}

/** Reads the sum of a process: `# { total: 3, pass: 2, skip: 1 }`. */
function readCount(output: string, name: string): number {
  return Number(new RegExp(`^# \\{.*\\b${name}: (\\d+)`, 'm').exec(output)?.[1] ?? 0)
}
