import { contenders, type Place } from './contenders/index.ts'
import { startOwn } from './contenders/product-templates.ts'
import { bodyOf, type Kind, kinds } from './kinds.ts'
import { fillBody } from './load.ts'
import type { KindGroup } from './results.ts'
import { measureInRounds } from './rounds.ts'
import { sendRequest } from './send-request.ts'
import type { Settings } from './settings.ts'
import { requestFor, startContender } from './start-contender.ts'
import { cores, type Subject } from './subject.ts'

/** What is compared on each engine, with what. */
const comparisons = [
  { baseline: 'mercurius-jit', names: ['hot', 'mercurius-jit', 'yoga', 'apollo'] },
  { baseline: 'postgres-jit', names: ['postgres', 'postgres-jit'] }
]

/** Requests of each kind whose answers are compared. */
const sampleCount = 5

/** Compares the contenders by requests of the same text with new variables. */
export async function compareKinds(place: Place, settings: Settings): Promise<KindGroup[]> {
  // Few, so that few requests are unfinished at the end.
  const connections = Math.ceil(settings.connections / 4)
  const groups: KindGroup[] = []
  for (const [name, kind] of Object.entries(kinds)) {
    if (!settings.kinds.includes(name)) continue
    const samples = await takeSamples(place, kind)
    const load = {
      body: bodyOf(kind),
      numbers: kind.numbers,
      connections,
      program: settings.load,
      core: cores?.server,
      samples
    }
    const subjects = chooseContenders(place, settings).map(
      ({ name, baseline, contender }): Subject => ({
        name,
        title: contender.title,
        baseline,
        start: () => startContender(contender, place, load)
      })
    )
    const rows = await measureInRounds(subjects, settings, name)
    groups.push({ name, title: kind.title, connections, rows })
  }
  return groups
}

/** Without `--only`, all contenders; the baseline always. PostgreSQL only if there is a server. */
function chooseContenders({ postgres }: Place, { only }: Settings) {
  return comparisons.flatMap(({ baseline, names }) =>
    names.flatMap(name => {
      const contender = contenders[name]
      if (!contender || (contender.needsPostgres && postgres === undefined)) return []
      const isWanted = only.length === 0 || contender.needsPostgres || only.includes(name)
      return isWanted || name === baseline ? [{ name, baseline, contender }] : []
    })
  )
}

/** Asks product-templates for the answers to some requests. */
async function takeSamples(place: Place, kind: Kind) {
  const target = await startOwn(`sqlite:${place.file}`, undefined)
  try {
    const bodies = Array.from({ length: sampleCount }, (_, number) =>
      fillBody(bodyOf(kind), number, kind.numbers)
    )
    return await Promise.all(
      bodies.map(async body => ({ body, answer: (await sendRequest(requestFor(target, body))).text }))
    )
  } finally {
    await target.server.stop()
  }
}
