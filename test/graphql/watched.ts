import { once } from 'node:events'
import { request } from 'node:http'
import { createInterface } from 'node:readline'
import { setTimeout } from 'node:timers/promises'
import type { Test } from 'tap'
import { serve } from '../process.ts'
import type { Reading } from './probe.ts'

/** What came back, how the service held meanwhile, and what others got from it. */
export interface Observed extends Reading {
  status: number
  /** Bytes of the answer. */
  size: number
  /** The answer, without the middle of a long one. */
  text: string
  /** Codes of the errors. */
  codes: string[]
  /** Statuses that other clients got meanwhile. */
  others: Set<number>
}

/** A `serve` whose event loop and memory are watched. */
export interface Watched {
  url: string
  pid: number
  /** What happened since the last reading. */
  read(): Promise<Reading>
  ended: ReturnType<typeof serve> extends Promise<infer Running extends { ended: unknown }>
    ? Running['ended']
    : never
}

const probe = new URL('probe.ts', import.meta.url).pathname

/** Starts `serve` with the probe in it. */
export async function serveWatched(t: Test, env: Record<string, string>): Promise<Watched> {
  const nodeOptions = [`--import=${probe}`, env.NODE_OPTIONS ?? ''].join(' ').trim()
  const { child, ended, url } = await serve(t, [], { ...env, NODE_OPTIONS: nodeOptions })
  const lines = createInterface(child.stderr)
  return {
    url,
    pid: child.pid as number,
    ended,
    async read() {
      const line = once(lines, 'line', { signal: AbortSignal.timeout(60_000) })
      child.kill('SIGWINCH')
      const [text] = (await line) as [string]
      if (!text.startsWith('probe ')) throw new Error(`the service wrote: ${text}`)
      return JSON.parse(text.slice('probe '.length))
    }
  }
}

/** Sends one request to a service while two other clients keep asking it for little things. */
export async function observe(service: Watched, token: string, body: object): Promise<Observed> {
  await service.read()
  const others = new Set<number>()
  const stopped = new AbortController()
  const page = { query: '{ products(first: 10) { nodes { id name } } }' }
  const polls = [
    poll(() => fetch(`${service.url}/livez`), others, stopped.signal),
    poll(() => post(service.url, token, page), others, stopped.signal)
  ]
  try {
    const answer = await send(service.url, token, body)
    return { ...answer, ...(await service.read()), others }
  } finally {
    stopped.abort()
    await Promise.all(polls)
  }
}

/** Milliseconds between two requests of another client: they are few, so that the memory measured is not theirs. */
const pollPause = 5

async function poll(ask: () => Promise<Response>, statuses: Set<number>, stopped: AbortSignal) {
  while (!stopped.aborted) {
    const response = await ask()
    await response.bytes()
    statuses.add(response.status)
    await setTimeout(pollPause)
  }
}

const headers = (token: string) => ({
  authorization: `Bearer ${token}`,
  'content-type': 'application/json',
  'graphql-cost': '1'
})

const post = (url: string, token: string, body: object) =>
  fetch(`${url}/graphql`, { method: 'POST', headers: headers(token), body: JSON.stringify(body) })

/** Characters that are kept of the begin and of the end of an answer. */
const kept = 1000

/** Reads the answer as it comes, since it may be long. */
function send(url: string, token: string, body: object) {
  return new Promise<Pick<Observed, 'status' | 'size' | 'text' | 'codes'>>((resolve, reject) => {
    const outgoing = request(`${url}/graphql`, { method: 'POST', headers: headers(token) }, response => {
      let size = 0
      let begin = ''
      let end = ''
      response.setEncoding('latin1').on('data', (chunk: string) => {
        size += chunk.length
        if (begin.length < kept) begin = (begin + chunk).slice(0, kept)
        else end = (end + chunk).slice(-kept)
      })
      response.once('error', reject).once('end', () => {
        const text = begin + end
        const codes = [...text.matchAll(/"code":"(\w+)"/g)].map(([, code]) => code as string)
        resolve({ status: response.statusCode ?? 0, size, text, codes })
      })
    })
    outgoing.once('error', reject).end(JSON.stringify(body))
  })
}
