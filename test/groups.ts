/**
 * Groups test files that share a process, because starting a process and loading the service takes longer than most
 * tests.
 */
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../', import.meta.url))
const folder = 'node_modules/.cache/product-templates-groups'

/**
 * Files with a process of their own: they change it, measure its memory, replace modules in it, or run long. The others
 * leave their process as it was.
 */
const alone = [
  'test/cli/serve/*.test.ts',
  'test/conformance/oauth/password-cost.test.ts',
  'test/db/backup/*.test.ts',
  'test/db/dialects/sqlite-{faults,load,threads}.test.ts',
  'test/deploy/image.test.ts',
  'test/embed.test.ts',
  'test/graphql/availability/*.test.ts',
  'test/graphql/{cost-fuzz,nodes-memory,reference}.test.ts',
  'test/graphql/reading/filters.test.ts',
  'test/metrics/embedded.test.ts',
  'test/outgoing/*.test.ts',
  'test/package/*.test.ts',
  'test/postgres/{copy,faults,outage}.test.ts',
  'test/routes/graphql/{kept-memory,response-cache-fuzz}.test.ts',
  'test/routes/responses/send.test.ts',
  'test/tracing/{embedded,process}.test.ts'
]
/** The longest of these. They start first; tap would sort them by name. */
const first = [
  'test/cli/serve/drain.test.ts',
  'test/deploy/image.test.ts',
  'test/graphql/availability/*.test.ts',
  'test/graphql/reference.test.ts',
  'test/package/*.test.ts',
  'test/postgres/{copy,faults,outage}.test.ts'
]
/** The maximum number of files per group. The run ends with its last group. */
const maxFiles = 10

export type Engine = 'SQLite' | 'PostgreSQL'
/** The first line of a test file that runs on one engine only. */
const onlyOnOne = /^\/\/ Runs on (SQLite|PostgreSQL) only/

/**
 * Returns the test files that do not run on an engine. Those of `npm run test:cluster`, which start their own servers, run
 * on none.
 */
export const findExcluded = (engine: Engine): Set<string> =>
  new Set(
    [...findFiles(['test/**/*.test.ts'])].filter(path => {
      const [, only = engine] = onlyOnOne.exec(readFileSync(join(root, path), 'utf8')) ?? []
      return only !== engine || dirname(path) === 'test/cluster'
    })
  )

/** Returns the files and groups of files for tap: all test files except the excluded ones. */
export function groupFiles(excluded: ReadonlySet<string>): string[] {
  rmSync(join(root, folder), { recursive: true, force: true })
  mkdirSync(join(root, folder), { recursive: true })
  const files = [...findFiles(['test/**/*.test.ts'])].filter(path => !excluded.has(path)).sort()
  const ofOne = findFiles(alone)
  const begin = findFiles(first)
  const single = files.filter(path => ofOne.has(path))
  const shared = files.filter(path => !ofOne.has(path))
  return [
    ...single.filter(path => begin.has(path)).map((path, index) => writeGroup(`0-${index + 1}`, [path])),
    ...split(shared).map((part, index) => writeGroup(`1-${index + 1}`, part)),
    ...single.filter(path => !begin.has(path))
  ]
}

/** Returns the paths of the files that match. */
const findFiles = (globs: readonly string[]): Set<string> => new Set(globSync(globs, { cwd: root }))

/** Splits a list into parts of about the same length, as few as `maxFiles` allows. */
function split(paths: string[]): string[][] {
  const count = Math.ceil(paths.length / maxFiles)
  const begin = (part: number): number => Math.floor((part * paths.length) / count)
  return Array.from({ length: count }, (_, part) => paths.slice(begin(part), begin(part + 1)))
}

function writeGroup(name: string, paths: string[]): string {
  const file = `${folder}/${name}.test.mjs`
  writeFileSync(join(root, file), paths.map(path => `import '${join(root, path)}'\n`).join(''))
  return file
}
