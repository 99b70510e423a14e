/**
 * Sends requests at a fixed rate, whether or not earlier ones have been answered, so that a slow server gets no fewer.
 * Reads options as JSON from standard input; prints the result as JSON.
 */
import { Agent, request } from 'node:http'
import { createHistogram } from 'node:perf_hooks'
import { json } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import type { LoadResult } from '../cli/bench/load.ts'
import { fillBody, type LoadOptions } from './load.ts'

const { url, headers, body, seconds, varied, numbers } = (await json(process.stdin)) as LoadOptions

const perSecond = 250
const agent = new Agent({ keepAlive: true })
const microseconds = createHistogram()
// Starts at the time, so that the next process uses other numbers.
let number = (Date.now() % 100_000) * 1_000_000
let bytes = 0
let errors = 0

const send = (): Promise<void> =>
  new Promise(resolve => {
    const sent = performance.now()
    const end = (isAnswered: boolean) => {
      if (!isAnswered) errors++
      microseconds.record(Math.max(1, Math.round((performance.now() - sent) * 1000)))
      resolve()
    }
    request(url, { method: 'POST', headers, agent }, response => {
      let hasError = response.statusCode !== 200
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length
        // A response with a GraphQL error also has status 200.
        if (chunk.length < 1000 && chunk.includes('"errors":')) hasError = true
      })
      response.on('close', () => end(response.complete && !hasError))
    })
      .on('error', () => end(false))
      .end(varied ? fillBody(body, number++, numbers) : body)
  })

const begin = performance.now()
const sending: Promise<void>[] = []
for (let index = 0; index < seconds * perSecond; index++) {
  const early = begin + (index * 1000) / perSecond - performance.now()
  if (early > 0) await setTimeout(early)
  sending.push(send())
}
await Promise.all(sending)
const duration = (performance.now() - begin) / 1000
const result: LoadResult = {
  seconds: duration,
  requests: sending.length,
  perSecond: sending.length / duration,
  bytesPerSecond: bytes / duration,
  p50: microseconds.percentile(50) / 1000,
  p99: microseconds.percentile(99) / 1000,
  errors
}
console.log(JSON.stringify(result))
agent.destroy()
