/**
 * Compares the service with the reference for a long time: `npm run fuzz -- --minutes 30 --engine postgres`. It prints
 * the seed of each difference; `npm run fuzz -- --seed N` repeats it.
 */
import { spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { parseArgs } from 'node:util'
import { buildTap } from './build-tap.ts'
import { startPostgres } from './support/postgres/postgres.ts'

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '1' },
    engine: { type: 'string', default: 'sqlite' },
    seed: { type: 'string' }
  }
})
const seconds = 60 * Number(values.minutes)
if (!(seconds > 0) || !['sqlite', 'postgres'].includes(values.engine)) {
  console.error('npm run fuzz -- [--minutes N] [--engine sqlite|postgres] [--seed N]')
  process.exit(2)
}
await buildTap()
const server = values.engine === 'postgres' ? await startPostgres({ fsync: 'off' }) : undefined
try {
  const env = {
    ...process.env,
    // A seed that is given is that of one round.
    SECONDS: values.seed === undefined ? String(seconds) : '0',
    SEED: values.seed ?? String(randomInt(2 ** 28)),
    ...(server && { TEST_DATABASE_URL: server.url })
  }
  const child = spawn('tap', ['--timeout=0', '--reporter=tap', 'test/graphql/reference.test.ts'], {
    env,
    stdio: 'inherit'
  })
  const [code] = (await once(child, 'close')) as [number | null]
  process.exitCode = code ?? 1
} finally {
  await server?.stop()
}
// Exits here, because a library that handles the end of the process would set the exit code to 0.
process.exit()
