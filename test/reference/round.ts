/** One round of the comparison: a store, queries with writes in between, and what the reference says to each. */
import { Agent, type IncomingHttpHeaders, request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import Fastify from 'fastify'
import { parse } from 'graphql'
import type { Test } from 'tap'
import type { Db } from '../../db/schema.ts'
import { readRule } from '../../db/templates/rule.ts'
import { transact } from '../../db/transaction.ts'
import { hashData } from '../../domain/document.ts'
import { openDatabase } from '../../features/database.ts'
import { productTemplates, type ServiceOptions } from '../../index.ts'
import { isObject } from '../../runtime/json-values.ts'
import { users } from '../../store.ts'
import { migratedUrl } from '../support/database/database.ts'
import { insertProductTemplates } from '../support/database/insert.ts'
import fc from '../support/generated/fast-check.ts'
import { accessToken } from '../support/http/http.ts'
import { addClient, addUser, cheapHash, user } from '../support/service/service.ts'
import { type Contents, readContents, seenBy } from './contents.ts'
import type { Where } from './filter.ts'
import { type Known, makeListArguments, makeQuery, makeSelection, type Operation } from './operations.ts'
import { answer, queryFields } from './service.ts'
import { makeTemplates, texts, traitTypes } from './store.ts'

/** What was compared. */
export interface Counts {
  operations: number
  /** Answered in full and equal. */
  answered: number
  /** With errors in both answers. */
  failed: number
  /** Refused by a limit, by their code. */
  refused: Record<string, number>
  /** Bodies that came compressed, which are made from kept ones. */
  compressed: number
  writes: number
  /** Operations of users with a rule. */
  ruled: number
  /** Lists that were read while templates were written. */
  lists: number
  /** Operations by their depth. */
  depths: number[]
}

export const noCounts = (): Counts => ({
  operations: 0,
  answered: 0,
  failed: 0,
  refused: {},
  compressed: 0,
  writes: 0,
  ruled: 0,
  lists: 0,
  depths: []
})

/** Users with a rule. */
const ruled = 20
/** Queries between two writes, each sent by two users, and writes of a round. */
const queriesPerWrite = 6
const writesPerRound = 8
/** Milliseconds of the queries between two writes, with those that make a finding smaller. */
const maxTime = 60_000
/** Bytes of an answer above which it is asked for only once. */
const maxRepeated = 2 ** 22
/** The limits that would refuse most operations are wider; the limit on the depth is not. */
const limits: ServiceOptions = {
  graphqlMaxAliases: 1000,
  graphqlMaxDirectives: 1000,
  graphqlMaxTokens: 10_000,
  graphqlMaxSourceLength: 65_536,
  graphqlMaxCost: 1_000_000_000,
  graphqlTimeout: 60
}

interface Service {
  url: string
  token: string
}

/** Starts a service on a new store. */
export async function start(
  t: Test,
  seed: number,
  more: ServiceOptions = {}
): Promise<Service & { db: Db; databaseUrl: string }> {
  const databaseUrl = await migratedUrl(t)
  const db = await openDatabase(databaseUrl)
  t.teardown(() => db.destroy())
  await addUser(db)
  await addClient(db)
  const templates = makeTemplates(seed)
  await transact(db, transaction => insertProductTemplates(transaction, templates))
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(productTemplates, { db, ...cheapHash, ...limits, ...more })
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  return { db, databaseUrl, url, token: await accessToken(url) }
}

/** Somebody who asks, and the templates that this user may see; undefined: all. */
interface Reader extends Service {
  email: string
  rule: Where | undefined
}

/**
 * Runs a round, with users of different rules who send the same operations; throws with the smallest operation for
 * which the service and the reference differ.
 */
export async function runRound(t: Test, seed: number, counts: Counts): Promise<void> {
  const service = await start(t, seed)
  const { db } = service
  const readers = [{ ...service, email: user.email, rule: undefined }, ...(await addReaders(service, seed))]
  const agent = new Agent({ keepAlive: true })
  t.teardown(() => agent.destroy())
  for (let write = 0; write < writesPerRound; write++) {
    const contents = await readContents(db)
    const known = knownOf(contents)
    await fc.assert(
      fc.asyncProperty(fc.gen(), async gen => {
        const operation = makeQuery(gen, known, queryFields)
        for (let time = 0; time < 2; time++) {
          const reader = gen(fc.constantFrom, ...readers)
          if (reader.rule) counts.ruled++
          await compare(reader, agent, seenBy(contents, reader.rule), operation, counts)
        }
      }),
      { seed: seed + write, numRuns: queriesPerWrite, interruptAfterTimeLimit: maxTime }
    )
    const writer = readers[write % readers.length] as Reader
    await compareWrite({ ...writer, db }, agent, known, seed + write, counts)
    const [changed, other] = [readers[1 + (write % ruled)], readers[1 + ((write + 5) % ruled)]]
    if (changed && other) await setRule(db, changed, other.rule)
  }
}

/** Adds users with rules that permit some of the templates. */
async function addReaders(service: Service & { db: Db }, seed: number): Promise<Reader[]> {
  const contents = await readContents(service.db)
  const known = knownOf(contents)
  const rules = fc
    .sample(fc.gen(), { seed, numRuns: 300 })
    .map(gen => withoutNulls(makeListArguments(gen, known).where) as Where)
    .filter(where => {
      const { length } = seenBy(contents, where).templates
      return length > 0 && length < contents.templates.length && isRule(where)
    })
  const readers: Reader[] = []
  // One after another: on a busy machine, so many changes of users at once conflict too often on PostgreSQL.
  for (const [index, rule] of rules.slice(0, ruled).entries()) {
    const reader = { ...service, email: `reader${index}@example.com`, rule }
    await addUser(service.db, reader)
    await setRule(service.db, reader, rule)
    readers.push({ ...reader, token: await accessToken(service.url, { username: reader.email }) })
  }
  return readers
}

/** A rule has no null for what is absent; a trait may equal null. */
const withoutNulls = (value: unknown): unknown =>
  isObject(value)
    ? Object.fromEntries(
        Object.entries(value)
          .filter(([name, one]) => one !== null || (name === 'equals' && 'type' in value))
          .map(([name, one]) => [name, name === 'equals' ? one : withoutNulls(one)])
      )
    : Array.isArray(value)
      ? value.map(withoutNulls)
      : value

function isRule(where: Where): boolean {
  try {
    readRule(where)
    return true
  } catch {
    return false
  }
}

async function setRule(db: Db, reader: Reader, rule: Where | undefined): Promise<void> {
  await users.update(db, reader.email, { where: rule ?? null })
  reader.rule = rule
}

export const knownOf = (contents: Contents): Known => ({
  ids: contents.templates.map(({ id }) => id),
  hashes: contents.templates.slice(0, 3).map(({ data }) => hashData(data)),
  texts,
  traitTypes
})

/** Sends a query as a new request, as a repeated one, by GET and compressed. */
async function compare(
  service: Service,
  agent: Agent,
  contents: Contents,
  { selection, declared, fragments, variables, depth }: Operation,
  counts: Counts
): Promise<void> {
  const query = `query Q${declared} ${selection} ${fragments}`
  const { body, isWhole } = await answer(contents, parse(query), variables)
  counts.operations++
  counts.depths[depth] = (counts.depths[depth] ?? 0) + 1
  const expected = Buffer.from(body)
  const post = (headers: object = {}) => send(service, agent, { query, variables }, headers)
  const first = await post()
  const code = refusalOf(first.body)
  if (code !== undefined) {
    counts.refused[code] = (counts.refused[code] ?? 0) + 1
    return
  }
  if (!isWhole) {
    const data = dataOf(first.body)
    if (data === undefined || data !== body) throw difference(query, variables, expected, first.body)
    counts.failed++
    return
  }
  const check = (found: Found) => {
    if (found.status !== 200 || !decoded(found).equals(expected))
      throw difference(query, variables, expected, decoded(found))
    if (found.headers['content-encoding']) counts.compressed++
  }
  check(first)
  counts.answered++
  if (expected.length > maxRepeated) return
  check(await post())
  check(await post())
  // The first of them only asks for the compressed bytes.
  const coding = ['zstd', 'br', 'gzip'][counts.operations % 3]
  for (let time = 0; time < 3; time++) check(await post({ 'accept-encoding': coding }))
  const address = `/graphql?query=${encodeURIComponent(query)}&variables=${encodeURIComponent(JSON.stringify(variables))}`
  if (address.length < 8000) check(await send(service, agent, address))
}

interface Found {
  status: number | undefined
  headers: IncomingHttpHeaders
  body: Buffer
}

/** Sends a body, or by GET an address. */
export async function send(
  { url, token }: Service,
  agent: Agent,
  given: object | string,
  more: object = {}
): Promise<Found> {
  const isGet = typeof given === 'string'
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...more }
  const sent = request(isGet ? url + given : `${url}/graphql`, {
    agent,
    headers,
    method: isGet ? 'GET' : 'POST'
  })
  sent.end(isGet ? undefined : JSON.stringify(given))
  return new Promise((resolve, reject) => {
    sent.once('error', reject)
    sent.once('response', response => {
      const { statusCode: status, headers } = response
      buffer(response).then(body => resolve({ status, headers, body }), reject)
    })
  })
}

const decoders = { zstd: zstdDecompressSync, br: brotliDecompressSync, gzip: gunzipSync }

function decoded({ headers, body }: Found): Buffer {
  const coding = headers['content-encoding'] as keyof typeof decoders | undefined
  return coding === undefined ? body : decoders[coding](body)
}

/** The code of an answer that is refused by a limit. */
function refusalOf(body: Buffer): string | undefined {
  const [, code] = /"code":"(\w+)"/.exec(body.subarray(0, 2000).toString()) ?? []
  return body.toString('utf8', 0, 9) === '{"errors"' &&
    code &&
    /LIMIT|TOO_LARGE|TIMEOUT|VALIDATION/.test(code)
    ? code
    : undefined
}

/** The data of an answer with errors, as the reference writes it. */
function dataOf(body: Buffer): string | undefined {
  const { errors, data } = JSON.parse(body.toString())
  return errors === undefined ? undefined : JSON.stringify({ data })
}

function difference(query: string, variables: object, expected: Buffer, found: Buffer): Error {
  let at = 0
  while (at < expected.length && expected[at] === found[at]) at++
  const near = (body: Buffer) => body.toString('utf8', Math.max(0, at - 100), at + 200)
  return new Error(
    `${query}\n${JSON.stringify(variables)}\nat byte ${at} of ${expected.length}, expected\n  ${near(expected)}\nfound (${found.length})\n  ${near(found)}`
  )
}

/** Writes something, and compares the template in its payload with what is stored then. */
async function compareWrite(
  service: Service & { db: Db; rule: Where | undefined },
  agent: Agent,
  known: Known,
  seed: number,
  counts: Counts
) {
  const [template] = makeTemplates(seed + 1)
  if (!template) return
  const gens = fc.sample(fc.gen(), { seed, numRuns: 1 })
  const selected = makeSelection(gens[0] as fc.GeneratorValue, known)
  const { id, timeCreated: _created, timeModified: _modified, ...input } = template
  const isKnown = known.ids.includes(id)
  const target = known.ids[seed % known.ids.length] ?? 0
  const [name, given, types] = [
    [
      'updateProduct',
      { id: target, input: { ...input, data: undefined } },
      { id: 'Int!', input: 'UpdateProductInput!' }
    ],
    isKnown
      ? ['updateProduct', { id, input }, { id: 'Int!', input: 'UpdateProductInput!' }]
      : ['createProduct', { input: { id, ...input } }, { input: 'CreateProductInput!' }],
    ['restoreProduct', { id: target, revision: 1 }, { id: 'Int!', revision: 'Int!' }],
    ['deleteProduct', { id: target }, { id: 'Int!' }]
  ][seed % 4] as [string, Record<string, unknown>, Record<string, string>]
  const declared = [
    ...Object.entries(types).map(([name, type]) => `$${name}: ${type}`),
    selected.declared.slice(1, -1)
  ]
  const list = Object.keys(types).map(name => `${name}: $${name}`)
  const isDeletion = name === 'deleteProduct'
  const shown = isDeletion ? '{ id }' : selected.selection
  const query = `mutation(${declared.filter(Boolean).join(', ')}) { ${name}(${list.join(', ')}) { product ${shown} userErrors { code } } } ${isDeletion ? '' : selected.fragments}`
  const variables = { ...given, ...(isDeletion ? {} : selected.variables) }
  if (isDeletion && selected.declared) return
  const { body } = await send(service, agent, { query, variables })
  counts.writes++
  if (!body.includes('"userErrors":[]') || isDeletion) return
  const written = (given.id ?? id) as number
  const asked = `query($id: Int!${selected.declared ? `, ${selected.declared.slice(1, -1)}` : ''}) { product(id: $id) ${shown} } ${selected.fragments}`
  const expected = await answer(seenBy(await readContents(service.db), service.rule), parse(asked), {
    ...selected.variables,
    id: written
  })
  if (!expected.isWhole) return
  const product = expected.body.slice('{"data":{"product":'.length, -2)
  const whole = Buffer.from(`{"data":{"${name}":{"product":${product},"userErrors":[]}}}`)
  if (!body.equals(whole)) throw difference(query, variables, whole, body)
}
