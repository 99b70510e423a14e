/** Loads a server with wrk. Reads options as JSON from standard input; prints the result as JSON. */
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { promisify } from 'node:util'
import type { LoadResult } from '../cli/bench/load.ts'
import { type LoadOptions, numberPlace, placeOf } from './load.ts'

const {
  url,
  headers,
  body,
  connections,
  seconds,
  varied,
  numbers = {}
} = (await json(process.stdin)) as LoadOptions

/** Quotes a Lua string. JSON's ASCII escapes are also valid in Lua, except `\u`, which no request here contains. */
const quote = (text: string) => JSON.stringify(text)

const numberList = Object.entries(numbers).map(
  ([name, choices]) => `{ place = ${quote(JSON.stringify(placeOf(name)))}, choices = { ${choices} } }`
)

/**
 * Gives each request a number that no earlier run used, and random numbers. A response with a GraphQL error also has
 * status 200.
 */
const varyRequests = `number = ${Date.now()} * 1000
numbers = { ${numberList} }
failed = 0
request = function()
  number = number + 1
  local body = wrk.body:gsub("${numberPlace}", string.format("%d", number))
  for _, each in ipairs(numbers) do
    body = body:gsub(each.place, each.choices[math.random(#each.choices)])
  end
  return wrk.format(nil, nil, nil, body)
end
response = function(_, _, body)
  if #body < 1000 and body:find('"errors":', 1, true) then failed = failed + 1 end
end
setup = function(thread) only = thread end`

const script = `wrk.method = "POST"
wrk.body = ${quote(body)}
${Object.entries(headers)
  .map(([name, value]) => `wrk.headers[${quote(name)}] = ${quote(value)}`)
  .join('\n')}
${varied ? varyRequests : ''}
done = function(summary, latency)
  local errors = summary.errors
  io.stderr:write(string.format("%d %d %.3f %.3f %d %.0f", summary.requests, summary.duration,
    latency:percentile(50) / 1000, latency:percentile(99) / 1000,
    errors.connect + errors.read + errors.write + errors.status + errors.timeout${varied ? ' + only:get("failed")' : ''}, summary.bytes))
end
`

const folder = await mkdtemp(join(tmpdir(), 'product-templates-wrk-'))
try {
  const file = join(folder, 'request.lua')
  await writeFile(file, script)
  const words = ['-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '60s', '-s', file, url]
  const { stderr } = await promisify(execFile)('wrk', words)
  const [requests = 0, microseconds = 0, p50 = 0, p99 = 0, errors = 1, bytes = 0] = stderr
    .split(' ')
    .map(Number)
  const duration = microseconds / 1e6
  const result: LoadResult = {
    seconds: duration,
    requests,
    perSecond: requests / duration,
    bytesPerSecond: bytes / duration,
    p50,
    p99,
    errors
  }
  console.log(JSON.stringify(result))
} finally {
  await rm(folder, { recursive: true, force: true })
}
