/**
 * Runs the suite on SQLite and then on PostgreSQL: on the server of TEST_DATABASE_URL, or on a bundled server. Passes
 * its arguments to tap. Starting processes takes most of the time. So small test files share a process (groups.ts), and
 * the libraries and the command are bundled (libraries.ts, command.ts). A named file runs in its own process; `npx tap
 * FILE` runs it from the sources.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { normalize } from 'node:path'
import { buildTap } from './build-tap.ts'
import { bundleCommand } from './command.ts'
import { findFiles, groupFiles } from './groups.ts'
import { bundleLibraries, useLibraries } from './libraries.ts'
import { initialisePostgres, startPostgres } from './postgres.ts'
import { compileCache } from './process.ts'
import { reportFiles } from './report.ts'
import { findFastDirectory, makePostgresTemplate, makeSqliteTemplate } from './template.ts'

/** Tests that need only one engine, or none. */
const onSqliteOnly = [
  'test/bench/*.test.ts',
  // File formats and commands; import.test.ts and store.test.ts write to both engines.
  'test/cli/accepted.test.ts',
  'test/cli/accounts.test.ts',
  'test/cli/audit.test.ts',
  'test/cli/afternoon.test.ts',
  'test/cli/completion.test.ts',
  'test/cli/formats/*.test.ts',
  'test/cli/backup.test.ts',
  'test/cli/bench.test.ts',
  'test/cli/opensea.test.ts',
  'test/cli/template.test.ts',
  'test/cli/clock.test.ts',
  'test/cli/full-disk.test.ts',
  'test/cli/http.test.ts',
  'test/cli/keys.test.ts',
  'test/cli/memory.test.ts',
  // durability.test.ts covers this on PostgreSQL.
  'test/cli/refresh-kill.test.ts',
  'test/cli/serve.test.ts',
  'test/cli/serve/*.test.ts',
  'test/cli/usage.test.ts',
  'test/cli/workers*.test.ts',
  'test/client/*.test.ts',
  'test/cluster/chaos/*.test.ts',
  // pages.test.ts looks at pages; login.test.ts and passkeys.test.ts use what they do on both engines.
  'test/conformance/authorize/{browser,libraries,pages,request}.test.ts',
  // HTTP and documents only; the tests of test/graphql send whole and broken requests to both engines.
  'test/conformance/graphql/{audits,errors,get,limits,media-types,operations,properties,request}.test.ts',
  'test/conformance/oauth/{bearer,client,logs,metadata,password-cost,transport,trusted-issuers,trusted-provider}.test.ts',
  // Each tool is an operation of GraphQL; flow.test.ts uses some on both engines.
  'test/conformance/mcp/{http,tokens,tools}.test.ts',
  'test/credentials/*.test.ts',
  'test/db/backup/*.test.ts',
  'test/db/{connect,imports}.test.ts',
  'test/db/dialects/sqlite*.test.ts',
  'test/db/timestamp.test.ts',
  'test/db/templates/edit-traits.test.ts',
  'test/db/templates/{filter,metadata,validation}/*.test.ts',
  'test/deploy/*.test.ts',
  'test/documents.test.ts',
  // Each example is a query or a mutation like those of the other tests.
  'test/examples.test.ts',
  // The page only uses the API, which the other tests use on both engines.
  'test/explorer/*.test.ts',
  // What a role may do is decided in memory.
  'test/graphql/{errors,roles,schema}.test.ts',
  // PostgreSQL works in separate processes.
  'test/graphql/availability/*.test.ts',
  // Small pictures, uploads and their limits. pictures.test.ts stores them on both engines.
  'test/media/{content-id,picture,places,sources}.test.ts',
  'test/metrics/*.test.ts',
  'test/tracing/{embedded,settings}.test.ts',
  'test/options.test.ts',
  'test/outgoing/*.test.ts',
  'test/package/*.test.ts',
  // A host instead of the accounts in the database, or plugins on a database in memory.
  'test/plugins/*.test.ts',
  'test/routes/changes/event-source.test.ts',
  'test/routes/cross-origin.test.ts',
  'test/routes/graphql/{client-gone,documents,kept-memory,operation-queue,response-cache,response-cache-fuzz}.test.ts',
  'test/routes/metadata.test.ts',
  'test/routes/metadata-browser.test.ts',
  'test/routes/responses/*.test.ts',
  'test/routes/schemas.test.ts',
  'test/routes/unread-responses.test.ts'
]
/** Tests with their own servers: `npm run test:cluster`. */
const elsewhere = ['test/cluster/*.test.ts']
const onPostgresOnly = ['test/db/dialects/postgres*.test.ts', 'test/postgres/*.test.ts']

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
const sqlite = await tap([...onPostgresOnly, ...elsewhere], { ...env, TEST_DATABASE_TEMPLATE: file.name })
await file.remove()
console.log('# on PostgreSQL')
const initial = given === undefined ? await initialisePostgres() : undefined
if (initial) process.env.TEST_POSTGRES_FILES = initial.directory
const server = initial && (await startPostgres({ fsync: 'off' }))
try {
  const url = given ?? server?.url ?? ''
  const { name, remove } = await makePostgresTemplate(url)
  const postgres = await tap([...onSqliteOnly, ...elsewhere], {
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

async function tap(exclude: string[], env: NodeJS.ProcessEnv): Promise<number> {
  const excluded = findFiles(exclude)
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
