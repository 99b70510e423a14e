/** Loads a server with autocannon. Reads options as JSON from standard input; prints the result as JSON. */
import { json } from 'node:stream/consumers'
import autocannon, { type Client } from 'autocannon'
import { runLoad } from '../cli/bench/load.ts'
import { fillBody, type LoadOptions, tokenPlace } from './load.ts'

const { url, headers, body, connections, seconds, varied, numbers, refreshTokens } = (await json(
  process.stdin
)) as LoadOptions

// Starts at the time, so that the next process uses other numbers.
let number = (Date.now() % 100_000) * 1_000_000
const varyBody = () => fillBody(body, number++, numbers)

/** A response with a GraphQL error also has status 200. */
let failed = 0
const maxErrorBytes = 1000

function setupClient(client: Client): void {
  client.on('body', chunk => {
    if (chunk.length < maxErrorBytes && chunk.includes('"errors":')) failed++
  })
  if (varied) {
    client.setBody(varyBody())
    client.on('response', () => client.setBody(varyBody()))
  }
  const first = refreshTokens?.pop()
  if (first !== undefined) {
    client.setBody(body.replace(tokenPlace, first))
    client.on('body', answer => {
      const { refresh_token: next } = JSON.parse(String(answer))
      client.setBody(body.replace(tokenPlace, next))
    })
  }
}

const result = await runLoad(autocannon, {
  url,
  method: 'POST',
  headers,
  body,
  connections,
  duration: seconds,
  timeout: 60,
  setupClient
})
console.log(JSON.stringify({ ...result, errors: result.errors + failed }))
