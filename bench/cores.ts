import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** The core of the server under load and the core of the load generator. */
export interface Cores {
  server: number
  load: number
}

/** Finds two cores that this process may use. Undefined without `taskset` (Linux only) or without a second core. */
export function findCores(): Cores | undefined {
  if (spawnSync('taskset', ['--version']).status !== 0) return undefined
  const allowed = readFileSync('/proc/self/status', 'utf8').match(/^Cpus_allowed_list:\s+(\S+)$/m)?.[1] ?? ''
  const [load, server] = expand(allowed)
  return load === undefined || server === undefined ? undefined : { server, load }
}

/** Expands `0-2,5` to 0, 1, 2, 5. */
function expand(list: string): number[] {
  return list.split(',').flatMap(range => {
    const [from = 0, to = from] = range.split('-').map(Number)
    return Array.from({ length: to - from + 1 }, (_, index) => from + index)
  })
}

/** Returns the command that runs `words` on a core, or on any core if it is undefined. */
export const pinTo = (core: number | undefined, words: string[]): string[] =>
  core === undefined ? words : ['taskset', '--cpu-list', String(core), ...words]
