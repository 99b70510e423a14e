import { setTimeout } from 'node:timers/promises'
import { onServer } from '../../support/database/database.ts'
import { stopDisk } from './disk.ts'
import type { Instances } from './instances.ts'
import type { Place, Servers } from './servers.ts'

export interface Targets {
  servers: Servers
  instances: Instances
  random: () => number
}

type Faults = Record<string, (targets: Targets) => Promise<void>>

/** Milliseconds that a fault takes at most. */
const longest = 2500

/** Waits for some time. */
const pass = (random: () => number): Promise<void> => setTimeout(random() * longest)

/** Faults of the servers: one at a time, and each waits until the standby has everything again. */
export const serverFaults: Faults = {
  'the primary is killed, the standby promoted': ({ servers }) =>
    servers.failOver('SIGKILL', () => Promise.resolve()),
  'the primary hangs, the standby is promoted': ({ servers, random }) =>
    servers.failOver('SIGSTOP', () => pass(random)),
  'the standby receives nothing, the primary is killed': async ({ servers, random }) => {
    const { back } = servers.primary
    back.swallow()
    // Longer than a commit may wait: its client repeats it.
    await setTimeout(longest)
    await pass(random)
    const failedOver = servers.failOver('SIGKILL', () => Promise.resolve())
    back.cut()
    await failedOver
  },
  'the roles change in good order': ({ servers }) => servers.switchOver(),
  'the roles change, and the former primary lags': async targets => {
    await targets.servers.switchOver()
    await lag(targets)
  },
  'the primary is killed and starts again': ({ servers }) => servers.crash(servers.primary),
  'the standby is killed and starts again': ({ servers }) => servers.crash(servers.standby),
  'the primary hangs': async ({ servers, random }) => {
    const { server } = servers.primary
    server.signal('SIGSTOP')
    await pass(random)
    server.signal('SIGCONT')
  },
  'the standby hangs': async ({ servers, random }) => {
    const { server } = servers.standby
    server.signal('SIGSTOP')
    await pass(random)
    server.signal('SIGCONT')
    await servers.synchronize()
  },
  'the standby receives nothing': async ({ servers, random }) => {
    servers.primary.back.swallow()
    await pass(random)
    servers.primary.back.cut()
    await servers.synchronize()
  },
  'the standby lags': lag
}

/** Faults of the servers' disks, if they can be stopped. */
export const diskFaults: Faults = {
  'the disk of the primary stops': targets => keepDiskStopped(targets, targets.servers.primary),
  'the disk of the standby stops': targets => keepDiskStopped(targets, targets.servers.standby),
  'the disk of the primary stops, the standby is promoted': async ({ servers, random }) => {
    stopDisk(servers.primary.server)
    await pass(random)
    // It would still answer reads.
    await servers.failOver('SIGKILL', () => Promise.resolve())
  }
}

async function keepDiskStopped({ servers, random }: Targets, { server }: Place): Promise<void> {
  const resume = stopDisk(server)
  await pass(random)
  resume()
  await servers.synchronize()
}

/** Commits do not wait for the replay. */
async function lag({ servers, random }: Targets): Promise<void> {
  const { url } = servers.standby.server
  await onServer(url, 'select pg_wal_replay_pause()')
  await pass(random)
  await onServer(url, 'select pg_wal_replay_resume()')
}

/** Faults of the instances and of the network before the servers, at the same time as those of the servers. */
export const instanceFaults: Faults = {
  'an instance is killed': ({ instances, random }) => instances.kill(random),
  'an instance hangs': async ({ instances, random }) => {
    const resume = instances.stop(random)
    await pass(random)
    resume()
  },
  'connections to the primary are cut': async ({ servers }) => servers.primary.front.cut(),
  'connections to all servers are cut': async ({ servers }) => {
    for (const { front } of servers.places) front.cut()
  },
  'a server gets no data': async ({ servers, random }) => {
    const { front } = random() < 0.5 ? servers.primary : servers.standby
    front.swallow()
    await pass(random)
    front.cut()
  },
  nothing: ({ random }) => pass(random)
}

/** Brings about faults in random order, all of them before one comes again, until it is over after some rounds. */
export async function bringAbout(
  faults: Faults,
  targets: Targets,
  isOver: (rounds: number) => boolean,
  note: (name: string) => void
): Promise<void> {
  for (let rounds = 0; ; rounds++)
    for (const name of shuffle(Object.keys(faults), targets.random)) {
      if (isOver(rounds)) return
      note(name)
      await faults[name]?.(targets)
      await pass(() => targets.random() / 4)
    }
}

const shuffle = (names: string[], random: () => number): string[] =>
  names
    .map(name => [random(), name] as const)
    .sort(([a], [b]) => a - b)
    .map(([, name]) => name)
