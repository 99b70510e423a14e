import { once } from 'node:events'
import { request } from 'node:http'
import { createInterface } from 'node:readline'
import { setTimeout } from 'node:timers/promises'
import type { Test } from 'tap'
import { graphqlRequest } from '../../support/http/http.ts'
import { type Running, serve } from '../../support/service/process.ts'
import { makeUnique } from '../unique-request.ts'
import type { Reading } from './probe.ts'
import type { GraphqlRequest } from './requests.ts'

/** A `serve` whose event loop and memory are watched. */
export interface Watched extends Running {
  url: string
  /** What happened since the last reading. */
  read(): Promise<Reading>
}

/** Tokens of the client that sends a request, and of another one. */
export interface Tokens {
  own: string
  other: string
}

export interface Answer {
  status: number
  /** Bytes. */
  size: number
  /** Codes of its errors. */
  codes: string[]
}

/** An answer, what it took, and what others got meanwhile. */
export interface Observed extends Answer, Reading {
  /** Statuses of their responses. */
  others: Set<number>
}

const probe = new URL('probe.ts', import.meta.url).pathname

/** Starts `serve` with the probe in it. */
export async function serveWatched(t: Test, env: Record<string, string>): Promise<Watched> {
  const { NODE_OPTIONS = '', ...more } = env
  const service = await serve(t, [], { ...more, NODE_OPTIONS: `--import=${probe} ${NODE_OPTIONS}` })
  const lines = createInterface(service.child.stderr)
  return {
    ...service,
    async read() {
      const line = once(lines, 'line', { signal: AbortSignal.timeout(60_000) })
      service.child.kill('SIGWINCH')
      const [text] = (await line) as [string]
      if (!text.startsWith('probe ')) throw new Error(`the service wrote: ${text}`)
      return JSON.parse(text.slice('probe '.length))
    }
  }
}

/** Sends a request while two other clients keep asking for little things. The response is not one that was kept. */
export const observe = (service: Watched, tokens: Tokens, body: GraphqlRequest): Promise<Observed> =>
  observeText(service, tokens, '/graphql', JSON.stringify(makeUnique(body)))

/** The same with JSON for an endpoint. */
export async function observeText(
  service: Watched,
  { own, other }: Tokens,
  path: string,
  text: string
): Promise<Observed> {
  await service.read()
  const others = new Set<number>()
  const stopped = new AbortController()
  const page = { query: '{ products(first: 10) { nodes { id name } } }' }
  const polls = [
    poll(() => fetch(`${service.url}/livez`), others, stopped.signal),
    poll(() => graphqlRequest(service.url, other, page), others, stopped.signal)
  ]
  try {
    const answer = await send(`${service.url}${path}`, own, text)
    return { ...answer, ...(await service.read()), others }
  } finally {
    stopped.abort()
    await Promise.all(polls)
  }
}

/** Milliseconds between two requests: few enough that the memory measured is not theirs. */
const pollPause = 5

async function poll(ask: () => Promise<Response>, statuses: Set<number>, stopped: AbortSignal) {
  while (!stopped.aborted) {
    const response = await ask()
    await response.bytes()
    statuses.add(response.status)
    await setTimeout(pollPause)
  }
}

/** Milliseconds after which a request is taken for unanswered: longer than the deadline of an operation. */
const patience = 660_000

/** Sends a request and counts the bytes of its answer, which may be more than a string can hold. */
function send(url: string, token: string, body: string): Promise<Answer> {
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream'
  }
  const signal = AbortSignal.timeout(patience)
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method: 'POST', headers, signal }, response => {
      let size = 0
      let begin = ''
      response.on('data', (chunk: Buffer) => {
        size += chunk.length
        if (begin.length < 1000) begin += chunk.toString('latin1', 0, 1000)
      })
      const isStream = response.headers['content-type']?.startsWith('text/event-stream')
      if (isStream) {
        // It would go on for ever.
        response.destroy()
        resolve({ status: response.statusCode ?? 0, size, codes: [] })
        return
      }
      response.once('error', reject).once('end', () => {
        const codes = begin.includes('"errors":[') ? [...begin.matchAll(/"code":"(\w+)"/g)] : []
        resolve({ status: response.statusCode ?? 0, size, codes: codes.map(([, code]) => code as string) })
      })
    })
    outgoing.once('error', reject).end(body)
  })
}
