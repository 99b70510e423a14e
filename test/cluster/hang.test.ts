// Runs on PostgreSQL only, alone.
/**
 * The primary hangs, and its standby is promoted: the service goes on soon, and holds no request meanwhile. Both are
 * judged by what the machine does at that time.
 */
import { type Test, t } from 'tap'
import { onServer } from '../support/database/database.ts'
import { hostList, startPair } from '../support/postgres/pair.ts'
import type { PostgresServer } from '../support/postgres/postgres.ts'
import { needs } from '../support/programs.ts'
import { serve } from '../support/service/process.ts'
import { until } from '../support/until.ts'
import { openToChecker, startBefore } from './haproxy.ts'
import { allow, describe, type Load, longest, readAndWrite, watchMachine } from './load.ts'

/** Milliseconds until both must be answered after the promotion. */
const soon = 3000
/** Milliseconds: docs/scaling.md says two seconds. */
const longestHeld = 3000

interface Case {
  t: Test
  primary: PostgresServer
  standby: PostgresServer
  /** The servers, or what leads to them. */
  ports: number[]
}

/** Stops the primary, and promotes the standby at once or after requests were refused. */
async function hang({ t, primary, standby, ports }: Case, isAtOnce: boolean): Promise<void> {
  const DATABASE_URL = hostList(primary, ports)
  const { url } = await serve(t, ['--demo'], { DATABASE_URL, ADDRESS_LIMIT: '0' })
  const loads = await readAndWrite(t, url)
  const all = Object.values(loads)
  await until(() => all.every(({ answers }) => answers.length > 50))
  const machine = watchMachine(t, standby.url)
  const stopped = performance.now()
  primary.signal('SIGSTOP')
  t.teardown(() => primary.signal('SIGCONT'))
  if (!isAtOnce) await until(() => all.every(hasRefused))
  await onServer(standby.url, 'select pg_promote()')
  const promoted = performance.now()
  for (const [name, { answers, answeredSince }] of Object.entries(loads)) {
    const after = Math.round((await answeredSince(promoted)) - promoted)
    await machine.answeredSince(stopped)
    const mostAfter = allow(soon, machine, stopped)
    t.ok(after < mostAfter, `${name}: answered ${after} ms after the promotion, of ${mostAfter}`)
    const held = Math.round(longest(answers))
    const mostHeld = allow(longestHeld, machine, stopped)
    t.ok(held < mostHeld, `${name}: held for ${held} ms, of ${mostHeld}; ${describe(answers)}`)
  }
}

const hasRefused = ({ answers }: Load): boolean => answers.filter(({ status }) => status === 503).length > 5

/** In a URL with both, and behind HAProxy. */
for (const isAtOnce of [true, false]) {
  const when = isAtOnce ? 'at once' : 'after requests were refused'
  t.test(`a list of hosts, promoted ${when}`, async t => {
    const { primary, standby } = await startPair(t)
    await hang({ t, primary, standby, ports: [primary.port, standby.port] }, isAtOnce)
  })
  t.test(`HAProxy, promoted ${when}`, needs('haproxy'), async t => {
    const { primary, standby } = await startPair(t, { 'pg_hba.conf': openToChecker })
    await hang({ t, primary, standby, ports: [await startBefore(t, [primary, standby])] }, isAtOnce)
  })
}
