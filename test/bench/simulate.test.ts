// Runs on SQLite only.
/** The computed fleets against what was measured, and against chance. */
import { t } from 'tap'
import { formatReport, parseFleet } from '../../bench/simulate.ts'
import { lookTime } from '../../bench/simulation/costs.ts'
import { type Fleet, findLimit, loadParts, lookRate } from '../../bench/simulation/model.ts'

const fleet: Fleet = {
  requestsPerSecond: 1000,
  instances: 2,
  replicas: 0,
  primaryCores: 2,
  replicaCores: 2,
  hitRate: 1,
  writeRate: 0,
  lookTime
}

/** Milliseconds of a core per request. */
function costs(change: Partial<Fleet>) {
  const changed = { ...fleet, ...change }
  const [instances, primary, replicas] = loadParts(changed).map(
    ({ busy }) => (busy * 1000) / changed.requestsPerSecond
  ) as [number, number, number]
  return { instances, primary, replicas }
}

t.test('a cached response costs what was measured', async t => {
  const isNear = (computed: number, measured: number) =>
    t.ok(Math.abs(computed / measured - 1) < 0.3, `${computed} instead of ${measured}`)
  // docs/scaling.md has these.
  isNear(costs({ instances: 4 }).primary, 0.07)
  t.ok(costs({ instances: 1, requestsPerSecond: 23_000 }).primary < 0.01)
  isNear(costs({ instances: 1, requestsPerSecond: 1000 }).instances, 0.176)
  isNear(costs({ instances: 1, requestsPerSecond: 3000 }).instances, 0.135)
  isNear(costs({ instances: 1, requestsPerSecond: 5000 }).instances, 0.093)
  isNear(costs({ instances: 1, requestsPerSecond: 23_000 }).instances, 0.04)
})

t.test('requests share looks as they do when they arrive by chance', async t => {
  for (const perSecond of [100, 2500, 40_000]) {
    t.ok(Math.abs(looksByChance(perSecond, lookTime) / lookRate(perSecond, lookTime) - 1) < 0.03)
  }
})

/** Lets requests arrive one by one; returns the looks a second. */
function looksByChance(perSecond: number, look: number): number {
  let [now, looks, end, nextEnd] = [0, 0, 0, 0]
  // The generator of Park and Miller: the same numbers in each run.
  let state = 1
  for (let request = 0; request < 50_000; request++) {
    state = (state * 48_271) % 2_147_483_647
    now -= (Math.log(state / 2_147_483_647) * 1000) / perSecond
    // The look before has ended, and the next one has begun, if somebody asked for it.
    if (now >= end) end = nextEnd
    if (now >= end) {
      looks++
      end = nextEnd = now + look
    } else {
      if (nextEnd === end) looks++
      nextEnd = end + look
    }
  }
  return (looks * 1000) / now
}

t.test('replicas relieve the primary; hits, busy instances and few writes do, too', async t => {
  const pages = costs({ hitRate: 0 })
  const ofReplica = costs({ hitRate: 0, replicas: 1 })
  t.ok(ofReplica.primary < pages.primary / 5)
  t.ok(ofReplica.replicas > 1)
  t.equal(pages.replicas, 0)
  t.ok(costs({ requestsPerSecond: 20_000 }).primary < costs({}).primary / 2)
  t.ok(
    costs({ instances: 16, requestsPerSecond: 20_000 }).primary > costs({ requestsPerSecond: 20_000 }).primary
  )
  t.ok(costs({ writeRate: 0.1 }).primary > costs({}).primary)
})

t.test('the limit is that of the part which is full first', async t => {
  t.match(findLimit(fleet), { name: 'instances' })
  const pages = { ...fleet, instances: 16, hitRate: 0 }
  const limit = findLimit(pages)
  t.equal(limit.name, 'primary')
  t.ok(limit.requestsPerSecond > 1600 && limit.requestsPerSecond < 2000, `${limit.requestsPerSecond}`)
  t.equal(findLimit({ ...pages, replicas: 1 }).name, 'replicas')
  const [, primary] = loadParts({ ...pages, requestsPerSecond: limit.requestsPerSecond })
  t.ok(Math.abs(primary.busy / primary.cores - 1) < 0.001)
})

t.test('looks alone never fill the primary: they take longer then, and more requests share one', async t => {
  const [, primary] = loadParts({ ...fleet, instances: 100, requestsPerSecond: 1e6 })
  t.ok(primary.busy > 1.5 && primary.busy < 2)
})

t.test('the report has every part, the limit and the price', async t => {
  const report = (...words: string[]) => {
    const parsed = parseFleet(words)
    return typeof parsed === 'string' ? parsed : formatReport(parsed.fleet, parsed.price)
  }
  const text = report('--requests-per-second', '3600', '--price', '2', '--replicas', '1')
  for (const part of ['instances', 'primary', 'replicas']) t.match(text, new RegExp(`^\\| ${part} \\|`, 'm'))
  t.match(text, /^Limit: \w+, at [\d,]+ requests a second\.$/m)
  // Two instances, and two cores each of the primary and its replica: 6 cores for 278 seconds.
  t.match(text, /with the idle time of all cores, 0\.926\./)
})

/** What is said of wrong options. */
function complaint(words: string[]): string {
  try {
    return String(parseFleet(words))
  } catch (error) {
    return (error as Error).message
  }
}

t.test('wrong options are refused, and the help names all', async t => {
  const help = String(parseFleet(['--help']))
  for (const [words, text] of [
    [['--instances', '0'], '--instances takes a whole number from 1 to 10000, not "0"'],
    [['--instances', '1.5'], '--instances takes a whole number'],
    [['--requests-per-second', '1e3'], '--requests-per-second takes'],
    [['--replicas', 'many'], '--replicas takes'],
    [['--primary-cores', '0'], '--primary-cores takes'],
    [['--replica-cores', ''], '--replica-cores takes'],
    [['--hit-rate', '1.1'], '--hit-rate takes a number from 0 to 1, not "1.1"'],
    [['--write-rate=-1'], '--write-rate takes'],
    [['--look-time', '0'], '--look-time takes'],
    [['--price', 'free'], '--price takes'],
    [['--cores', '1'], "Unknown option '--cores'"]
  ] as [string[], string][]) {
    t.ok(complaint(words).startsWith(text), text)
    const [name = ''] = words[0]?.split('=') ?? []
    if (name !== '--cores') t.match(help, `${name} <`)
  }
})
