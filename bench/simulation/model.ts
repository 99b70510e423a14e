import { type Cost, costs } from './costs.ts'

export interface Fleet {
  perSecond: number
  /** Processes. The event loop of each uses one core. */
  instances: number
  /** They share the pages evenly. */
  replicas: number
  primaryCores: number
  /** Of each replica. */
  replicaCores: number
  /** Part of the reads that is answered with a kept response. */
  hitRate: number
  /** Part of the requests that writes. */
  writeRate: number
  /** Milliseconds of a look at the version, if the primary is idle. */
  lookTime: number
}

/** A queue: its servers have these cores, each, and are busy with so many of all of them. */
export interface Part {
  name: 'instances' | 'primary' | 'replicas'
  servers: number
  cores: number
  busy: number
  /** Milliseconds that work waits for a core. */
  wait: number
}

/** Computes the load of each part, and the mean time of answers in milliseconds; infinite if a part cannot keep up. */
export function simulate(fleet: Fleet): { parts: Part[]; kept: number; page: number } {
  const look = settleLook(fleet)
  const parts = loadParts(fleet, look)
  const [instances, primary, replicas] = parts as [Part, Part, Part]
  const page = fleet.replicas > 0 ? costs.pageOfReplica : costs.page
  const before = waitForLook(fleet.perSecond / fleet.instances, look) + instances.wait
  return {
    parts,
    kept: before + costs.kept.instance,
    page: before + page.instance + primary.wait + page.primary + replicas.wait + page.replica
  }
}

/**
 * Returns the looks a second of an instance. One is in progress at a time, and those who ask meanwhile share the next: a
 * look serves all who came during the one before, or one if nobody did.
 */
export function lookRate(perSecond: number, look: number): number {
  const meanwhile = (perSecond * look) / 1000
  return perSecond / (meanwhile + Math.exp(-meanwhile))
}

/** Returns the milliseconds until a request has its version: half of the look before, if there is one, and its own. */
export function waitForLook(perSecond: number, look: number): number {
  const meanwhile = (perSecond * look) / 1000
  return look * (1 + meanwhile / 2 / (meanwhile + Math.exp(-meanwhile)))
}

/** Returns the most requests a second that every part can serve, and the part that cannot serve more. */
export function findLimit(fleet: Fleet): { perSecond: number; name: Part['name'] } {
  const fullest = (perSecond: number) => {
    const load = ({ servers, cores, busy }: Part) => (busy === 0 ? 0 : busy / (servers * cores))
    const parts = loadParts({ ...fleet, perSecond }, settleLook({ ...fleet, perSecond }))
    const [part] = parts.toSorted((one, other) => load(other) - load(one)) as [Part]
    return { name: part.name, isFull: load(part) >= 1 }
  }
  const perSecond = bisect(1, value => fullest(value).isFull)
  return { perSecond, name: fullest(perSecond).name }
}

/** The busier the primary is, the longer a look takes, and the more requests share it: finds where both agree. */
function settleLook(fleet: Fleet): number {
  const primaryWait = (look: number) => loadParts(fleet, look)[1]?.wait ?? 0
  if (primaryWait(Number.POSITIVE_INFINITY) === Number.POSITIVE_INFINITY) return Number.POSITIVE_INFINITY
  return bisect(fleet.lookTime, look => look >= fleet.lookTime + primaryWait(look))
}

function loadParts(fleet: Fleet, look: number): Part[] {
  const { perSecond, instances, replicas, primaryCores, replicaCores, hitRate, writeRate } = fleet
  const reads = perSecond * (1 - writeRate)
  const rates: [Cost, number][] = [
    [costs.look, instances * lookRate(perSecond / instances, look)],
    [costs.kept, reads * hitRate],
    [replicas > 0 ? costs.pageOfReplica : costs.page, reads * (1 - hitRate)],
    [costs.write, perSecond * writeRate]
  ]
  const load = (name: Part['name'], of: keyof Cost, servers: number, cores: number): Part => {
    const work = rates.filter(([cost]) => cost[of] > 0)
    const busy = work.reduce((sum, [cost, rate]) => sum + (cost[of] * rate) / 1000, 0)
    const jobs = work.reduce((sum, [, rate]) => sum + rate, 0)
    const wait = busy === 0 ? 0 : (queue(busy / servers, cores) * busy * 1000) / jobs
    return { name, servers, cores, busy, wait }
  }
  return [
    load('instances', 'instance', instances, 1),
    load('primary', 'primary', 1, primaryCores),
    load('replicas', 'replica', replicas, replicaCores)
  ]
}

/** Erlang's formula C: how long work waits for one of the cores, as a multiple of the time it takes. */
function queue(busy: number, cores: number): number {
  if (busy >= cores) return Number.POSITIVE_INFINITY
  let refused = 1
  for (let core = 1; core <= cores; core++) refused = (busy * refused) / (core + busy * refused)
  return refused / (1 - (busy / cores) * (1 - refused)) / (cores - busy)
}

/** Finds where a condition begins to hold. */
function bisect(from: number, holds: (value: number) => boolean): number {
  let [low, high] = [from, from]
  while (!holds(high)) [low, high] = [high, 2 * high]
  for (let step = 0; step < 50; step++) {
    const middle = (low + high) / 2
    if (holds(middle)) high = middle
    else low = middle
  }
  return high
}
