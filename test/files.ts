/** Finds test files, where they run, and which of them share a process. */
import { globSync, readFileSync, statSync } from 'node:fs'

const engines = ['SQLite', 'PostgreSQL'] as const

/** A file on an engine. */
export interface Run {
  file: string
  engine: (typeof engines)[number]
  /** Whether the file has a process of its own, because it changes its process or measures it. */
  isAlone: boolean
  /** Whether no other file runs meanwhile, because it measures the time of the processor. Others would change it. */
  isUndisturbed: boolean
  /** Whether it is a part of `npm test`, which runs each file once. */
  isInNpmTest: boolean
}

/** What runs in one process. */
export type Group = readonly [Run, ...Run[]]

/** The maximum number of files in a group. A run ends with its last group. */
const maxFiles = 10

/** Lists the test files of a folder, or a test file itself. */
export function findFiles(name: string): string[] {
  const found = statSync(name, { throwIfNoEntry: false })
  if (found?.isDirectory()) return globSync(`${name}/**/*.test.ts`, { exclude: ['**/node_modules'] })
  return found && /\.test\.m?[jt]s$/.test(name) ? [name] : []
}

/**
 * Lists the files that are named, or all but those of the cluster, once for each engine on which they run. The first
 * line of a file may restrict that: `// Runs on SQLite only, alone, in test:all only: needs a browser.`
 */
export function findRuns(names: readonly string[]): Run[] {
  const areNamed = names.length > 0
  const files = areNamed
    ? names
    : globSync('{test,features/*/test}/**/*.test.ts', {
        exclude: ['**/node_modules', 'test/cluster/*.test.ts']
      })
  return files.toSorted().flatMap(file => {
    const [mark = ''] = /^\/\/ Runs .*/.exec(readFileSync(file, 'utf8')) ?? []
    const [, only] = /\bon (\w+) only/.exec(mark) ?? []
    const isUndisturbed = mark.includes('undisturbed')
    const isAlone = areNamed || isUndisturbed || /\balone\b/.test(mark)
    const isRest = mark.includes('in test:all only')
    return engines
      .filter(engine => engine === (only ?? engine))
      .map((engine, index) => ({ file, engine, isAlone, isUndisturbed, isInNpmTest: !isRest && index === 0 }))
  })
}

/** Groups small files, because starting a process and loading the service takes longer than most tests. */
export function groupRuns(runs: readonly Run[]): Group[] {
  const alone = runs.filter(({ isAlone }) => isAlone).map(run => [run] as const)
  const shared = engines.flatMap(engine => split(runs.filter(run => run.engine === engine && !run.isAlone)))
  return [...alone, ...shared]
}

/** Splits a list into as few parts as `maxFiles` allows. Neighbours, which are alike, are in different parts. */
function split(runs: readonly Run[]): Group[] {
  const count = Math.ceil(runs.length / maxFiles)
  return Array.from(
    { length: count },
    (_, part) => runs.filter((_, index) => index % count === part) as [Run, ...Run[]]
  )
}
