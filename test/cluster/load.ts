/** Clients that ask again and again, and what they were answered. */
import { setTimeout } from 'node:timers/promises'
import type { Test } from 'tap'
import { demo } from '../../seeds/credentials.ts'
import { onServer } from '../support/database/database.ts'
import { accessToken, basic, graphqlRequest, query } from '../support/http/http.ts'
import { until } from '../support/until.ts'

export const demoClient = { authorization: basic(demo.clientId, demo.clientSecret) }
export const demoUser = { username: demo.email, password: demo.password }

/** Milliseconds between two requests of a client, so that the processes share the machine. */
const pause = 10

export interface Answer {
  start: number
  end: number
  /** 0 without an answer. */
  status: number
}

export interface Load {
  answers: Answer[]
  /** Resolves with the time of the first answer 200 to a request that began after a time. */
  answeredSince(time: number): Promise<number>
}

/** Sends a request again and again until the end of the test, from several clients. */
export function load(t: Test, clients: number, request: () => Promise<Response>): Load {
  const answers: Answer[] = []
  let stopped = false
  const ask = async () => {
    while (!stopped) {
      const start = performance.now()
      const status = await request().then(readStatus, () => 0)
      answers.push({ start, end: performance.now(), status })
      await setTimeout(pause)
    }
  }
  const asking = Array.from({ length: clients }, ask)
  t.teardown(() => {
    stopped = true
    return Promise.all(asking)
  })
  return {
    answers,
    async answeredSince(time) {
      const find = () => answers.find(({ start, status }) => start >= time && status === 200)
      await until(() => find() !== undefined)
      return find()?.end as number
    }
  }
}

/** An answer that says 200 must be one. */
async function readStatus(response: Response): Promise<number> {
  const text = await response.text()
  return response.ok && /"errors"|:null/.test(text) ? 500 : response.status
}

/** Readers and writers of a service. */
export async function readAndWrite(t: Test, url: string): Promise<{ reads: Load; writes: Load }> {
  const token = await accessToken(url, demoUser, demoClient)
  const found = await query(url, token, '{ allProducts(limit: 1) { id } }')
  const { id } = found.body.data.allProducts[0]
  let asked = 0
  return {
    reads: load(t, 4, () =>
      graphqlRequest(url, token, { query: `query q${asked++} { products(first: 1) { nodes { name } } }` })
    ),
    writes: load(t, 2, () =>
      graphqlRequest(url, token, {
        query: `mutation { updateProduct(id: ${id}, input: { name: "name ${asked++}" }) { product { name } } }`
      })
    )
  }
}

/** An empty transaction of a new connection counts as so many of a machine that is not slow. */
const slowTransactions = 50

/** Runs empty transactions on a server, each on a new connection: they are as slow as the machine is at the moment. */
export const watchMachine = (t: Test, url: string): Load =>
  load(t, 1, async () => {
    await onServer(url, 'begin; select 1; commit')
    return new Response()
  })

/** Returns the milliseconds that something may take which takes this long on a fast machine. */
export function allow(milliseconds: number, { answers }: Load, since: number): number {
  const times = answers
    .filter(({ end, status }) => end > since && status === 200)
    .map(({ start, end }) => end - start)
  const mean = times.reduce((sum, time) => sum + time, 0) / times.length
  return Math.round(milliseconds + slowTransactions * mean)
}

export const longest = (answers: readonly Answer[]): number =>
  Math.max(...answers.map(({ start, end }) => end - start))

/** The longest time without an answer 200 since a time. */
export function longestGap(answers: readonly Answer[], since: number): number {
  const ends = answers.filter(({ end, status }) => end > since && status === 200).map(({ end }) => end)
  return Math.max(...[since, ...ends].slice(1).map((end, index) => end - ([since, ...ends][index] as number)))
}

/** How many answers had each status. */
export const describe = (answers: readonly Answer[]): string =>
  [...Map.groupBy(answers, ({ status }) => status)]
    .map(([status, { length }]) => `${length} × ${status}`)
    .join(', ')
