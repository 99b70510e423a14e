/** Chooses what random tests cover: the same on the same commit, which `SEED` repeats on another one. */
import { execFileSync } from 'node:child_process'
import { t } from 'tap'
import { createRandom } from '../../../seeds/load.ts'

/** Where there is no repository. */
const fixed = '1'

/** The hash of the commit in hexadecimal digits. */
function readCommit(): string {
  try {
    return execFileSync('git', ['rev-parse', 'HEAD'], {
      cwd: import.meta.dirname,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore']
    })
  } catch {
    return fixed
  }
}

/** A natural number below 2^28. */
export const seed = Number(process.env.SEED ?? Number.parseInt(readCommit().slice(0, 7), 16))
t.comment(`random values of SEED=${seed}`)

/** Random numbers below 1. */
export const random = createRandom(seed)
