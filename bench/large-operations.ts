/**
 * Sends large operations over four connections, each after the other, until SIGTERM. Prints a line when the first ones
 * are sent, and in the end how many were answered per second and how many were refused. Words: the URL and a token.
 */
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { setTimeout } from 'node:timers/promises'

const [, , url = '', token] = process.argv
const connections = 4

const nine = 'id blockchainId maxItems name publicProduct componentName timeCreated timeModified data'
const queries = [
  `query Everything { allProducts { ${nine} } }`,
  'query Facets { traits(first: 100) { type values { text count } } }',
  'query Contains($text: String!) { allProducts(where: { name: { contains: $text } }) { id name } }'
]

/** Milliseconds that a client waits when it is refused. */
const pause = 100

const begin = performance.now()
let number = 0
let answered = 0
let refused = 0

process.once('SIGTERM', () => {
  const seconds = (performance.now() - begin) / 1000
  console.log(JSON.stringify({ perSecond: answered / seconds, refused }))
  process.exit()
})
for (let connection = 0; connection < connections; connection++) void sendForever(connection)
console.log(JSON.stringify({ connections }))

async function sendForever(first: number): Promise<never> {
  for (let index = first; ; index++) {
    const isAnswered = await send(queries[index % queries.length] as string)
    if (isAnswered) answered++
    else {
      refused++
      await setTimeout(pause)
    }
  }
}

/** Sends a query with variables that no earlier one had. Returns whether it succeeded. */
async function send(query: string): Promise<boolean> {
  const variables = { text: twoLetters(number), n: `${process.pid}-${number++}` }
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` }
  const sent = request(url, { method: 'POST', headers }).end(JSON.stringify({ query, variables }))
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  let end = ''
  for await (const chunk of response) end = String(chunk.subarray(-1000))
  return response.statusCode === 200 && !end.includes('"errors":')
}

/** Returns a text that is too short for an index of parts. */
function twoLetters(number: number): string {
  const letter = (index: number) => String.fromCharCode(97 + (index % 26))
  return letter(number) + letter(Math.floor(number / 26))
}
