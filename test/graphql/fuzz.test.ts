/** Operations made from the schema itself, whole and broken, for a while: no fault of ours, and nothing told. */
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import {
  buildSchema,
  type GraphQLInputType,
  type GraphQLNamedType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType
} from 'graphql'
import { t } from 'tap'
import { openDatabase } from '../../db/connect.ts'
import { databaseUrl } from '../database.ts'
import { accessToken } from '../http.ts'
import { serve } from '../process.ts'
import { addClient, addUser } from '../service.ts'
import { addAwkwardTemplates } from './reading/store.ts'

const schema = buildSchema(readFileSync(new URL('../../graphql/schema.graphql', import.meta.url), 'utf8'))
const milliseconds = 5000

type Random = (below: number) => number

/** Small numbers, the same ones for the same seed. */
function numbers(seed: number): Random {
  let state = seed >>> 0
  return below => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

const pick = <T>(random: Random, list: T[]): T => list[random(list.length)] as T

const texts = [
  '',
  'a',
  'Portugal',
  'MadeIn',
  '%',
  "'",
  '\\',
  '\0',
  '\ud800',
  '🍏',
  '2026-01-01T00:00:00Z',
  '0000-01-01T00:00:00Z',
  'x'.repeat(300),
  'ab '.repeat(300),
  Array.from({ length: 60 }, (_, index) => `w${index}`).join(' '),
  '-1'
]

/** A literal of a type, now and then of another one. */
function literal(random: Random, type: GraphQLInputType, depth: number): string {
  if (random(25) === 0)
    return pick(random, ['null', '7', '"x"', '[1]', '{a: 1}', 'ENUM', '1e400', '99999999999', '$none'])
  if (isNonNullType(type)) return literal(random, type.ofType, depth)
  if (isListType(type))
    return `[${Array.from({ length: random(40) ? random(3) : 120 }, () => literal(random, type.ofType, depth)).join(', ')}]`
  if (isEnumType(type)) return pick(random, [...type.getValues()]).name
  if (isInputObjectType(type)) {
    const fields = Object.values(type.getFields()).filter(() => random(4) === 0 && depth > 0)
    const given = fields.map(field => `${field.name}: ${literal(random, field.type, depth - 1)}`)
    return `{${given.join(', ')}}`
  }
  switch (type.name) {
    case 'Int':
      return String(random(2) ? random(200) - 20 : pick(random, [-(2 ** 31), 2 ** 31 - 1, 0]))
    case 'Boolean':
      return pick(random, ['true', 'false'])
    case 'DocumentValue':
      return pick(random, ['7', '"7"', 'true', '["a"]', '[]', 'null', JSON.stringify(pick(random, texts))])
    default:
      return JSON.stringify(pick(random, texts))
  }
}

function selection(random: Random, type: GraphQLNamedType, depth: number): string {
  if (!isObjectType(type)) return ''
  const fields = Object.values(type.getFields()).filter(
    field => random(3) !== 0 && (depth > 0 || !isObjectType(getNamedType(field.type)))
  )
  const parts = fields.map(field => {
    const given = field.args.filter(() => random(2) === 0)
    const list = given.map(({ name, type }) => `${name}: ${literal(random, type, 4)}`).join(', ')
    const alias = random(12) === 0 ? `a${random(3)}: ` : ''
    const name = random(60) === 0 ? 'unknown' : field.name
    const directive = random(15) === 0 ? ` @include(if: ${pick(random, ['true', 'false', '1'])})` : ''
    return `${alias}${name}${list && `(${list})`}${directive} ${selection(random, getNamedType(field.type), depth - 1)}`
  })
  return `{ ${parts.length > 0 ? parts.join(' ') : '__typename'} }`
}

function operation(seed: number): string {
  const random = numbers(seed)
  const text = `query Q ${selection(random, schema.getQueryType() as GraphQLNamedType, 4)}`
  // Some are broken somewhere.
  if (random(4) !== 0) return text
  const at = random(text.length)
  return (
    text.slice(0, at) +
    pick(random, ['', '{', '}', '"', '...F', '#', '\0', '@', ' mutation ']) +
    text.slice(at + random(4))
  )
}

const internal =
  /sqlite|postgres|product_[a-z]|\bselect\b.*\bfrom\b|syntax error at|node_modules|\.ts:|\/work|at Object/i

t.test('no response is an internal error or reveals internals, and the process stays healthy', async t => {
  const url = await databaseUrl(t)
  const db = await openDatabase(url)
  await addUser(db)
  await addClient(db)
  await addAwkwardTemplates(db, 60)
  await db.destroy()
  const service = await serve(t, [], { DATABASE_URL: url, PASSWORD_MEMORY: '7168' })
  const token = await accessToken(service.url)
  const statuses: Record<string, number> = {}
  const ask = async (seed: number, method: string): Promise<void> => {
    const text = operation(seed)
    const accept = seed % 2 ? 'application/json' : 'application/graphql-response+json'
    const headers = { authorization: `Bearer ${token}`, accept, 'content-type': 'application/json' }
    const address = `${service.url}/graphql?query=${encodeURIComponent(text.toWellFormed())}`
    // Node refuses a head of 16 KiB before there is a request.
    const response =
      method === 'GET' && address.length < 15_000
        ? await fetch(address, { headers })
        : await fetch(`${service.url}/graphql`, {
            method: 'POST',
            headers,
            body: JSON.stringify({ query: text })
          })
    const body = await response.text()
    statuses[response.status] = (statuses[response.status] ?? 0) + 1
    const { data, errors } = JSON.parse(body)
    const told = (errors ?? []).map(({ message }: { message: string }) => message).join('\n')
    const fault = errors?.some(
      ({ extensions }: { extensions?: { code?: string } }) => extensions?.code === 'INTERNAL_SERVER_ERROR'
    )
    const answered = data !== undefined || errors !== undefined
    if (response.status >= 500 || fault || internal.test(told) || !answered)
      throw new Error(`${response.status} ${body.slice(0, 1000)}`)
  }
  const run = (time: number) =>
    fc.assert(fc.asyncProperty(fc.integer({ min: 0, max: 2 ** 31 }), fc.constantFrom('POST', 'GET'), ask), {
      numRuns: 1_000_000,
      interruptAfterTimeLimit: time,
      markInterruptAsFailure: false
    })
  const memory = () =>
    Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${service.child.pid}/status`, 'utf8'))?.[1])
  // Until the caches are full.
  await run(milliseconds)
  const warm = memory()
  await run(milliseconds)
  t.comment(`answers: ${JSON.stringify(statuses)}; resident memory ${warm} kB, then ${memory()} kB`)
  t.ok((statuses[200] ?? 0) > 200 && (statuses[400] ?? 0) > 50, 'of both kinds')
  t.ok(memory() < warm * 1.5, 'no more memory than before')
  t.equal((await fetch(`${service.url}/livez`)).status, 200)
})
