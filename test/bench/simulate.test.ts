/** The computed fleets against what was measured, and against chance. */
import { t } from 'tap'
import { formatReport, parseFleet } from '../../bench/simulate.ts'
import { lookTime } from '../../bench/simulation/costs.ts'
import { type Fleet, findLimit, lookRate, simulate, waitForLook } from '../../bench/simulation/model.ts'

const fleet: Fleet = {
  perSecond: 1000,
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
  const [instances, primary, replicas] = simulate(changed).parts.map(
    ({ busy }) => (busy * 1000) / changed.perSecond
  ) as [number, number, number]
  return { instances, primary, replicas }
}

t.test('a kept response costs what was measured', async t => {
  const isNear = (computed: number, measured: number) =>
    t.ok(Math.abs(computed / measured - 1) < 0.3, `${computed} instead of ${measured}`)
  // docs/scaling.md has these.
  isNear(costs({ instances: 4 }).primary, 0.07)
  t.ok(costs({ instances: 1, perSecond: 23_000 }).primary < 0.01)
  isNear(costs({ instances: 1, perSecond: 1000 }).instances, 0.176)
  isNear(costs({ instances: 1, perSecond: 3000 }).instances, 0.135)
  isNear(costs({ instances: 1, perSecond: 5000 }).instances, 0.093)
  isNear(costs({ instances: 1, perSecond: 23_000 }).instances, 0.04)
})

t.test('requests share looks as they do when they arrive by chance', async t => {
  for (const perSecond of [100, 2500, 40_000]) {
    const found = shareByChance(perSecond, lookTime)
    t.ok(Math.abs(found.looks / lookRate(perSecond, lookTime) - 1) < 0.03)
    t.ok(Math.abs(found.wait / waitForLook(perSecond, lookTime) - 1) < 0.03)
  }
})

/** Lets requests arrive one by one; returns the looks a second, and the mean milliseconds until a version is known. */
function shareByChance(perSecond: number, look: number) {
  const requests = 50_000
  let [now, waited, looks, end, nextEnd] = [0, 0, 0, 0, 0]
  // The generator of Park and Miller: the same numbers in each run.
  let state = 1
  for (let request = 0; request < requests; request++) {
    state = (state * 48_271) % 2_147_483_647
    now -= (Math.log(state / 2_147_483_647) * 1000) / perSecond
    // The look before has ended, and the next one has begun, if somebody asked for it.
    if (now >= end) end = nextEnd
    if (now >= end) {
      looks++
      end = nextEnd = now + look
      waited += look
    } else {
      if (nextEnd === end) looks++
      nextEnd = end + look
      waited += nextEnd - now
    }
  }
  return { looks: (looks * 1000) / now, wait: waited / requests }
}

t.test('replicas relieve the primary; hits, busy instances and few writes do, too', async t => {
  const pages = costs({ hitRate: 0 })
  const ofReplica = costs({ hitRate: 0, replicas: 1 })
  t.ok(ofReplica.primary < pages.primary / 5)
  t.ok(ofReplica.replicas > 1)
  t.equal(pages.replicas, 0)
  t.ok(costs({ perSecond: 20_000 }).primary < costs({}).primary / 2)
  t.ok(costs({ instances: 16, perSecond: 20_000 }).primary > costs({ perSecond: 20_000 }).primary)
  t.ok(costs({ writeRate: 0.1 }).primary > costs({}).primary)
})

t.test('the limit is that of the part which is full first', async t => {
  t.match(findLimit(fleet), { name: 'instances' })
  const pages = { ...fleet, instances: 16, hitRate: 0 }
  const limit = findLimit(pages)
  t.equal(limit.name, 'primary')
  t.ok(limit.perSecond > 1600 && limit.perSecond < 2000, `${limit.perSecond}`)
  t.equal(findLimit({ ...pages, replicas: 1 }).name, 'replicas')
  for (const factor of [0.99, 1.01]) {
    const { kept, page } = simulate({ ...pages, perSecond: factor * limit.perSecond })
    for (const time of [kept, page]) t.equal(Number.isFinite(time), factor < 1)
  }
})

t.test('looks alone never fill the primary: they take longer then, and more requests share one', async t => {
  const { parts, kept } = simulate({ ...fleet, instances: 100, perSecond: 1e6 })
  const busy = parts[1]?.busy ?? 0
  t.ok(busy > 1.5 && busy < 2)
  t.ok(kept > 1 && kept < 100)
})

t.test('the report has every part, the limit, the time and the price', async t => {
  const report = (...words: string[]) => {
    const parsed = parseFleet(words)
    return typeof parsed === 'string' ? parsed : formatReport(parsed.fleet, parsed.price)
  }
  const text = report('--requests-per-second', '3600', '--price', '2', '--replicas', '1')
  for (const part of ['instances', 'primary', 'replicas']) t.match(text, new RegExp(`^\\| ${part} \\|`, 'm'))
  t.match(text, /^Limit: \w+, at [\d,]+ requests a second\.$/m)
  t.match(text, /kept [\d.]+ ms, page [\d.]+ ms/)
  // Two instances, and two cores each of the primary and its replica: 6 cores for 278 seconds.
  t.match(text, /with the idle time of all cores, 0\.926\./)
  t.match(report('--requests-per-second', '100000'), /page none: more arrives than is served/)
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
