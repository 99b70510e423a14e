/**
 * Runs the suite on SQLite and then on PostgreSQL: on the server of TEST_DATABASE_URL, or on a bundled server. A file
 * that runs on one engine only says so in its first line. Passes its arguments to tap. Starting processes takes most of
 * the time. So small test files share a process (groups.ts), and the libraries and the command are bundled
 * (libraries.ts, command.ts). A named file runs in its own process; `npx tap FILE` runs it from the sources.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { normalize } from 'node:path'
import { buildTap } from './build-tap.ts'
import { bundleCommand } from './command.ts'
import { type Engine, findExcluded, groupFiles } from './groups.ts'
import { bundleLibraries, useLibraries } from './libraries.ts'
import { reportFiles } from './report.ts'
import { initialisePostgres, startPostgres } from './support/postgres/postgres.ts'
import { compileCache } from './support/service/process.ts'
import { findFastDirectory, makePostgresTemplate, makeSqliteTemplate } from './template.ts'

/**
 * The number of parallel files. Many wait for a process, a browser or a deadline. By default, tap leaves one core idle.
 */
const jobs = availableParallelism() + 2
const isOption = (word: string): boolean => word.startsWith('-')
const words = [`--jobs=${jobs}`, ...process.argv.slice(2).filter(isOption)]
/** The files to run; all if none is named. */
const named = process.argv.slice(2).filter(word => !isOption(word))
/** Whether tap shows its own report: on a terminal, or if an argument selects one. */
const showsReport = process.stdout.isTTY || words.some(word => /^(-R|--reporter)/.test(word))
const failed: string[] = []
const { TEST_DATABASE_URL: given, ...inherited } = process.env
process.env.TEST_DATABASE_DIRECTORY ??= findFastDirectory()
const { TEST_DATABASE_DIRECTORY } = process.env
// tap records each file that a test loads, even without coverage. That takes as long as loading them.
const unrecorded = `--import=data:text/javascript,process.env._TAPJS_PROCESSINFO_EXCLUDE_='/./'`
const NODE_OPTIONS = [inherited.NODE_OPTIONS, unrecorded, `--import=${useLibraries}`]
  .filter(Boolean)
  .join(' ')
const [command] = await Promise.all([bundleLibraries().then(bundleCommand), buildTap()])
const env = {
  NODE_COMPILE_CACHE: compileCache,
  TEST_PRELOAD: useLibraries,
  ...command,
  TEST_DATABASE_DIRECTORY,
  ...inherited,
  NODE_OPTIONS
}

console.log('# on SQLite')
const file = await makeSqliteTemplate()
const sqlite = await tap('SQLite', { ...env, TEST_DATABASE_TEMPLATE: file.name })
await file.remove()
console.log('# on PostgreSQL')
const initial = given === undefined ? await initialisePostgres() : undefined
if (initial) process.env.TEST_POSTGRES_FILES = initial.directory
const server = initial && (await startPostgres({ fsync: 'off' }))
try {
  const url = given ?? server?.url ?? ''
  const { name, remove } = await makePostgresTemplate(url)
  const postgres = await tap('PostgreSQL', {
    ...env,
    TEST_DATABASE_URL: url,
    TEST_DATABASE_TEMPLATE: name,
    ...(initial && { TEST_POSTGRES_FILES: initial.directory })
  })
  await remove()
  process.exitCode = sqlite || postgres
} finally {
  await server?.stop()
  await initial?.stop()
}
if (failed.length > 0) console.log(`\n# What failed\n${failed.join('\n')}`)
// Exits here, because a library that handles the end of the process would set the exit code to 0.
process.exit()

async function tap(engine: Engine, env: NodeJS.ProcessEnv): Promise<number> {
  const excluded = findExcluded(engine)
  const files =
    named.length === 0 ? groupFiles(excluded) : named.filter(file => !excluded.has(normalize(file)))
  if (files.length === 0) return 0
  const child = spawn('tap', [...words, ...files], {
    env,
    stdio: ['inherit', showsReport ? 'inherit' : 'pipe', 'inherit']
  })
  const reported = child.stdout ? reportFiles(child.stdout) : []
  const [code] = (await once(child, 'close')) as [number | null]
  failed.push(...(await reported))
  return code ?? 1
}
