import { type Cost, costs } from './costs.ts'

/** The options of `npm run simulate`; its help describes them. */
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

/** A part of the fleet with the number of its cores and of its busy cores. */
export interface Part {
  name: 'instances' | 'primary' | 'replicas'
  cores: number
  busy: number
}

/**
 * Computes the load of each part. The busier the primary is, the longer a version check takes, and the more requests
 * share it. So version checks never use more than the capacity that is left.
 */
export function loadParts(fleet: Fleet): [Part, Part, Part] {
  const { requestsPerSecond, instances, replicas, primaryCores, replicaCores, hitRate, writeRate } = fleet
  const reads = requestsPerSecond * (1 - writeRate)
  const work = [
    busyCores(costs.cached, reads * hitRate),
    busyCores(replicas > 0 ? costs.pageOfReplica : costs.page, reads * (1 - hitRate)),
    busyCores(costs.write, requestsPerSecond * writeRate)
  ]
  const sum = (part: keyof Cost) => work.reduce((total, each) => total + each[part], 0)
  const left = Math.max(1 - sum('primary') / primaryCores, 0)
  const wanted = instances * lookRate(requestsPerSecond / instances, fleet.lookTime)
  const possible = (left * primaryCores * 1000) / costs.look.primary
  // A smooth minimum: an idle primary answers all wanted version checks, a busy one as many as it can.
  work.push(busyCores(costs.look, (wanted ** -4 + possible ** -4) ** -0.25))
  return [
    { name: 'instances', cores: instances, busy: sum('instance') },
    { name: 'primary', cores: primaryCores, busy: sum('primary') },
    { name: 'replicas', cores: replicas * replicaCores, busy: sum('replica') }
  ]
}

/** Returns how many cores a rate of requests keeps busy. */
const busyCores = (cost: Cost, perSecond: number): Cost => ({
  instance: (cost.instance * perSecond) / 1000,
  primary: (cost.primary * perSecond) / 1000,
  replica: (cost.replica * perSecond) / 1000
})

/**
 * Returns the version checks per second of an instance. Only one runs at a time; requests that arrive meanwhile share
 * the next one. So each check serves all requests that arrived during the previous one, or one request if there were
 * none.
 */
export function lookRate(perSecond: number, lookTime: number): number {
  const meanwhile = (perSecond * lookTime) / 1000
  return perSecond / (meanwhile + Math.exp(-meanwhile))
}

/** Returns the maximum requests per second of the fleet, and the part that limits it. */
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
