/**
 * Runs the tests of several servers that fail: `npm run test:cluster`. Chaos takes a minute; `-- --minutes 30` makes it
 * longer, and `-- --seed N` repeats the order of its faults. Files that are named run alone.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { buildTap } from '../build-tap.ts'
import { findFastDirectory } from '../template.ts'

const { values, positionals } = parseArgs({
  options: { minutes: { type: 'string', default: '1' }, seed: { type: 'string' } },
  allowPositionals: true
})
const seconds = 60 * Number(values.minutes)
if (!(seconds > 0)) {
  console.error('npm run test:cluster -- [--minutes N] [--seed N] [FILE …]')
  process.exit(2)
}
const files = positionals.length > 0 ? positionals : globSync('test/cluster/*.test.ts').sort()
const env = {
  TEST_DATABASE_DIRECTORY: findFastDirectory(),
  ...process.env,
  SECONDS: String(seconds),
  ...(values.seed !== undefined && { SEED: values.seed })
}
await buildTap()
// One file at a time: their clocks measure how long a service does not answer. A file ends even if it waits for ever.
const words = ['--jobs=1', `--timeout=${4 * seconds + 600}`, '--reporter=tap', ...files]
const [code] = (await once(spawn('tap', words, { env, stdio: 'inherit' }), 'close')) as [number | null]
process.exitCode = code ?? 1
