import { type Cost, costs } from './costs.ts'

/** The options of `npm run simulate`, whose help describes them. */
export interface Fleet {
  requestsPerSecond: number
  instances: number
  replicas: number
  primaryCores: number
  replicaCores: number
  hitRate: number
  writeRate: number
  lookTime: number
}

/** What has these cores in all, of which so many are busy. */
export interface Part {
  name: 'instances' | 'primary' | 'replicas'
  cores: number
  busy: number
}

/**
 * Computes the load of each part. The busier the primary is, the longer a look takes, and the more requests share it: looks
 * never fill what the rest leaves.
 */
export function loadParts(fleet: Fleet): [Part, Part, Part] {
  const { requestsPerSecond, instances, replicas, primaryCores, replicaCores, hitRate, writeRate } = fleet
  const reads = requestsPerSecond * (1 - writeRate)
  const work = [
    busyCores(costs.kept, reads * hitRate),
    busyCores(replicas > 0 ? costs.pageOfReplica : costs.page, reads * (1 - hitRate)),
    busyCores(costs.write, requestsPerSecond * writeRate)
  ]
  const sum = (part: keyof Cost) => work.reduce((total, each) => total + each[part], 0)
  const left = Math.max(1 - sum('primary') / primaryCores, 0)
  const wanted = instances * lookRate(requestsPerSecond / instances, fleet.lookTime)
  const possible = (left * primaryCores * 1000) / costs.look.primary
  // Nearly the lesser of both: an idle primary answers all looks that are wanted, a busy one as many as it can.
  work.push(busyCores(costs.look, (wanted ** -4 + possible ** -4) ** -0.25))
  return [
    { name: 'instances', cores: instances, busy: sum('instance') },
    { name: 'primary', cores: primaryCores, busy: sum('primary') },
    { name: 'replicas', cores: replicas * replicaCores, busy: sum('replica') }
  ]
}

/** How many cores a rate of requests keeps busy. */
const busyCores = (cost: Cost, perSecond: number): Cost => ({
  instance: (cost.instance * perSecond) / 1000,
  primary: (cost.primary * perSecond) / 1000,
  replica: (cost.replica * perSecond) / 1000
})

/**
 * Returns the looks a second of an instance. One is in progress at a time, and those who ask meanwhile share the next: a
 * look serves all who came during the one before, or one if nobody did.
 */
export function lookRate(perSecond: number, lookTime: number): number {
  const meanwhile = (perSecond * lookTime) / 1000
  return perSecond / (meanwhile + Math.exp(-meanwhile))
}

/** Returns the most requests a second that every part can serve, and the part that cannot serve more. */
export function findLimit(fleet: Fleet): { requestsPerSecond: number; name: Part['name'] } {
  const fullest = (requestsPerSecond: number) => {
    const load = ({ busy, cores }: Part) => (cores === 0 ? 0 : busy / cores)
    const parts = loadParts({ ...fleet, requestsPerSecond })
    const [part] = parts.toSorted((one, other) => load(other) - load(one)) as [Part]
    return { name: part.name, isFull: load(part) > 0.9999 }
  }
  let [low, high] = [0, 1]
  while (!fullest(high).isFull) [low, high] = [high, 2 * high]
  while (high / low > 1.0001) {
    const middle = (low + high) / 2
    if (fullest(middle).isFull) high = middle
    else low = middle
  }
  return { requestsPerSecond: high, name: fullest(high).name }
}
