import { contenders, type Place } from './contenders/index.ts'
import { startOwn } from './contenders/product-templates.ts'
import { fillBody, type Numbers, numberPlace, placeOf } from './load.ts'
import type { KindGroup } from './results.ts'
import { measureInRounds } from './rounds.ts'
import { sendRequest } from './send-request.ts'
import type { Settings } from './settings.ts'
import { requestFor, startContender } from './start-contender.ts'
import { cores, type Subject } from './subject.ts'

/** A query whose text is the same in all requests. */
interface Kind {
  title: string
  query: string
  variables?: Record<string, number>
  /** The variables that are random numbers. */
  numbers: Numbers
}

/** The number of templates with which the kinds are measured. */
export const kindTemplates = 20_000

/** The identifiers that `seed --load` gives: every seventh is skipped. */
const ids = Array.from({ length: kindTemplates }, (_, index) => index + Math.floor(index / 6))

const nine = 'id blockchainId maxItems name publicProduct componentName timeCreated timeModified data'

const list = (limit: number): Kind => ({
  title: `allProducts(limit: ${limit}, offset: $offset)`,
  query: `query List($limit: Int!, $offset: Int!) { allProducts(limit: $limit, offset: $offset) { ${nine} } }`,
  variables: { limit },
  numbers: { offset: Array.from({ length: 500 }, (_, offset) => offset) }
})

/** The kinds by their names in `--kinds`. */
export const kinds = {
  product: {
    title: 'product(id: $id)',
    query: `query Product($id: Int!) { product(id: $id) { ${nine} } }`,
    numbers: { id: ids }
  },
  page: {
    title: 'products(first: 10, where: { blockchainId: { equals: $blockchainId } })',
    query: `query Page($first: Int!, $blockchainId: Int!) {
      products(first: $first, where: { blockchainId: { equals: $blockchainId } }) { nodes { ${nine} } }
    }`,
    variables: { first: 10 },
    numbers: { blockchainId: [1, 2, 3, 4] }
  },
  'list-10': list(10),
  'list-100': list(100),
  'list-1000': list(1000)
} satisfies Record<string, Kind>

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

/**
 * The body has a number that the query does not declare. GraphQL ignores it, so the work is the same, but no body is
 * equal to an earlier one, and no answer comes from a cache.
 */
export function bodyOf({ query, variables, numbers }: Kind): string {
  const places = Object.fromEntries(Object.keys(numbers).map(name => [name, placeOf(name)]))
  return JSON.stringify({ query, variables: { ...variables, ...places, n: numberPlace } })
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
