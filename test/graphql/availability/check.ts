import type { Test } from 'tap'
import { accessToken } from '../../support/http/http.ts'
import { type GraphqlRequest, requests } from './requests.ts'
import { measureSlowness } from './slowness.ts'
import { type Observed, observe, serveWatched, type Tokens, type Watched } from './watched-service.ts'

/** Milliseconds of CPU time that a turn may take on a machine that is not slow, with garbage collection. */
export const maxTurn = 100
export const megabyte = 2 ** 20
/** Megabytes of objects of a thread. V8 may fill them before it collects garbage. */
const maxHeap = 128
/** How many times the size of its answer a request may take besides. */
const memoryPerByte = 4

/** Whether CPU time is within a limit, which is higher while the machine is slow. */
export const isWithin = (time: number, limit: number): boolean =>
  time <= limit || time <= limit * measureSlowness()

/**
 * The longest of several turns may have a pause of the machine, or one to collect garbage. What holds the event loop does so each time, because the
 * service keeps no response and no operation.
 */
const attempts = 4

/** Measures, and again while every turn is longer than `most`. Resolves with all measurements in their order. */
export async function measureAgain<Measured extends { turn: number }>(
  measure: () => Promise<Measured>,
  most: number
): Promise<[Measured, ...Measured[]]> {
  const all: [Measured, ...Measured[]] = [await measure()]
  while (all.length < attempts && all.every(({ turn }) => turn > most)) all.push(await measure())
  return all
}

/** Returns the shortest turn. */
export const shortest = (all: { turn: number }[]): number => Math.min(...all.map(({ turn }) => turn))

/**
 * Observes a request, again while it has too long a turn. Of the turns, the shortest counts. The answer is the first one;
 * of memory and of what others got, the worst counts.
 */
export async function observeAgain(observe: () => Promise<Observed>): Promise<Observed> {
  const all = await measureAgain(observe, maxTurn)
  return {
    ...all[0],
    turn: shortest(all),
    memory: Math.max(...all.map(({ memory }) => memory)),
    others: new Set(all.flatMap(({ others }) => [...others]))
  }
}

/** What is wrong with an answer; undefined if nothing is. */
export function findFault(
  { turn, memory, others, codes, status }: Observed,
  answerSize: number,
  requestMemory: number
): string | undefined {
  if (!isWithin(turn, maxTurn)) return `a turn of the event loop took ${turn.toFixed()} ms`
  const mostMemory = maxHeap * megabyte + requestMemory + memoryPerByte * answerSize
  if (memory > mostMemory) return `${memory} bytes of memory, more than ${mostMemory}`
  if ([...others].some(status => status !== 200)) return `others got ${[...others].join(', ')}`
  if (status !== 200 || codes.includes('INTERNAL_SERVER_ERROR')) return `${status} ${codes.join(', ')}`
  return undefined
}

interface Sizes {
  /** Bytes that the answer may have where it ends early. */
  maxAnswer?: number
  /** Bytes of memory that the request itself takes. */
  requestMemory?: number
}

/** Sends a request, and judges what it did to the service and to others. Resolves with what it observed. */
export async function check(
  t: Test,
  service: Watched,
  tokens: Tokens,
  body: GraphqlRequest,
  { maxAnswer, requestMemory = 0 }: Sizes = {}
) {
  const observed = await observeAgain(() => observe(service, tokens, body))
  // How long an answer was when it was given up is not known, only how long it may become.
  const isGivenUp =
    observed.codes.includes('RESULT_TOO_LARGE') ||
    (maxAnswer !== undefined && observed.codes.includes('COST_LIMIT'))
  const answerSize = isGivenUp ? (maxAnswer ?? Number.POSITIVE_INFINITY) : observed.size
  t.equal(findFault(observed, answerSize, requestMemory), undefined)
  return observed
}

/**
 * Starts the service on a database, with tokens of two clients. Its heap is small, so that memory is measured and not
 * how long V8 waits before it collects garbage.
 */
export async function watched(t: Test, databaseUrl: string, env: Record<string, string> = {}) {
  const service = await serveWatched(t, {
    DATABASE_URL: databaseUrl,
    PASSWORD_MEMORY: '7168',
    // On a slow machine, too, all of the work is done.
    GRAPHQL_TIMEOUT: '600',
    NODE_OPTIONS: `--max-old-space-size=${maxHeap}`,
    ...env
  })
  const tokens = { own: await accessToken(service.url), other: await accessToken(service.url) }
  // What is loaded and compiled at the first request is no concern of the next.
  await observe(service, tokens, { query: '{ products(first: 100) { nodes { data } } }' })
  // On a worker thread: a filter with this much text is executed there, whatever the store holds.
  await observe(service, tokens, requests['texts: a part of 60,000 marks'] as GraphqlRequest)
  return { service, tokens }
}
