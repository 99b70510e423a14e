/**
 * Many readers and all kinds of writers, in several processes: every response shows the state at some moment between
 * its request and its reply. `SECONDS=20` is thorough.
 */
import { sql } from 'kysely'
import { type Test, t } from 'tap'
import type { Db } from '../../db/schema.ts'
import { openDatabase } from '../../features/database.ts'
import { engine, migratedUrl } from '../support/database/database.ts'
import { accessToken, basic, graphqlGet, graphqlRequest, query, responseJson } from '../support/http/http.ts'
import { serve } from '../support/service/process.ts'
import { addClient, addTemplates, addUser } from '../support/service/service.ts'
import { makeUnique } from './unique-request.ts'

/** Writes of each writer. */
const writes = 20 * Number(process.env.SECONDS ?? 2)
const env = { PASSWORD_MEMORY: '7168', ADDRESS_LIMIT: '0', CLIENT_LIMIT: '0' }

/** The name of a template is a number that only grows; its writer is the only one. */
interface Register {
  begun: number
  acknowledged: number
}

interface Place {
  url: string
  token: string
}

type Write = (id: number, name: string) => Promise<unknown>

/** Sends queries again and again, and counts the responses that are older than their request, or from nowhere. */
async function read(place: () => Place, registers: Register[], isOver: () => boolean, whenWrong: () => void) {
  const ids = registers.map((_, id) => id)
  const source = '{ allProducts { id name } }'
  const requests = [
    ({ url, token }: Place) => graphqlRequest(url, token, { query: source }),
    ({ url, token }: Place) => graphqlRequest(url, token, { query: source }, { 'accept-encoding': 'zstd' }),
    ({ url, token }: Place) => graphqlRequest(url, token, { query: source }, responseJson),
    ({ url, token }: Place) => graphqlGet(url, token, { query: source }),
    // Each is another query, put together from the templates of those before.
    ({ url, token }: Place) =>
      graphqlRequest(url, token, makeUnique({ query: '{ allProducts { id name data } }' })),
    ({ url, token }: Place) =>
      graphqlRequest(url, token, { query: '{ allProducts: products(first: 100) { nodes { id name } } }' })
  ]
  const counts = { fresh: 0, wrong: 0 }
  for (let turn = 0; !isOver(); turn++) {
    const before = registers.map(({ acknowledged }) => acknowledged)
    const send = requests[turn % requests.length] as (typeof requests)[number]
    const { data } = (await (await send(place())).json()) as {
      data: { allProducts: Named[] | { nodes: Named[] } }
    }
    const after = registers.map(({ begun }) => begun)
    const found = new Map([data.allProducts].flatMap(toList).map(({ id, name }) => [id, Number(name)]))
    for (const id of ids) {
      const value = found.get(id) ?? -1
      const isRight = value >= (before[id] as number) && value <= (after[id] as number)
      counts[isRight ? 'fresh' : 'wrong']++
      if (!isRight) whenWrong()
    }
  }
  return counts
}

interface Named {
  id: number
  name: string
}

const toList = (found: Named[] | { nodes: Named[] }): Named[] => ('nodes' in found ? found.nodes : found)

/** Writes a template in one way until it is over. */
async function write(id: number, register: Register, how: Write, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    register.begun++
    await how(id, String(register.begun))
    register.acknowledged = register.begun
    // Between two writes there are readers who find what is cached.
    await new Promise(resolve => setTimeout(resolve, 20 * Math.random()))
  }
}

const rename =
  'mutation ($id: Int!, $name: String!) { updateProduct(id: $id, input: { name: $name }) { userErrors { code } } }'
const replace =
  'mutation ($input: [ImportProductInput!]!) { importProducts(input: $input, mode: REPLACE) { userErrors { code message } } }'

function mutation({ url, token }: Place, source: string, variables: object) {
  return query(url, token, source, { variables }).then(({ body }) => {
    const [payload] = Object.values(body.data ?? {}) as { userErrors: object[] }[]
    if (payload?.userErrors.length !== 0) throw new Error(JSON.stringify(body))
  })
}

const updateBySql =
  (db: Db): Write =>
  (id, name) =>
    sql`update product_template set name = ${name} where id = ${id}`.execute(db)

/** How templates are written: through each place, and around it. */
const allWays = (places: Place[], db: Db): Write[] => [
  ...places.map(
    (place): Write =>
      (id, name) =>
        mutation(place, rename, { id, name })
  ),
  (id, name) =>
    mutation(places[0] as Place, replace, {
      input: [{ id, blockchainId: 1, maxItems: 1, name, publicProduct: true, componentName: 'C', data: '{}' }]
    }),
  updateBySql(db),
  (id, name) =>
    db.transaction().execute(async transaction => {
      const [row] = await transaction
        .deleteFrom('product_template')
        .where('id', '=', id)
        .returningAll()
        .execute()
      await transaction
        .insertInto('product_template')
        .values({ ...row, name } as never)
        .execute()
    })
]

async function start(t: Test) {
  const url = await migratedUrl(t)
  const db = await openDatabase(url)
  t.teardown(() => db.destroy())
  await addUser(db)
  await addClient(db)
  const services = [
    await serve(t, [], { ...env, DATABASE_URL: url }),
    await serve(t, [], { ...env, DATABASE_URL: url })
  ]
  return { db, urls: services.map(({ url }) => url) }
}

const logIn = (urls: string[]): Promise<Place[]> =>
  Promise.all(urls.map(async url => ({ url, token: await accessToken(url) })))

/** Runs readers and writers until enough is written, or a response is wrong. Returns what the readers have found. */
async function observe(
  { db, urls }: Awaited<ReturnType<typeof start>>,
  waysOf: (places: Place[], db: Db) => Write[],
  enough = Number.POSITIVE_INFINITY
) {
  const places = await logIn(urls)
  const ways = waysOf(places, db)
  const registers: Register[] = ways.map(() => ({ begun: 0, acknowledged: 0 }))
  await addTemplates(db, ...ways.map((_, id) => ({ id, name: '0' })))
  let isWrong = false
  const isOver = () => isWrong || registers.every(({ acknowledged }) => acknowledged >= enough)
  const readers = Array.from({ length: 6 }, (_, index) =>
    read(
      () => places[index % places.length] as Place,
      registers,
      isOver,
      () => {
        isWrong = true
      }
    )
  )
  const writers = ways.map((way, id) => write(id, registers[id] as Register, way, isOver))
  await Promise.all(writers)
  const found = await Promise.all(readers)
  return {
    fresh: found.reduce((sum, { fresh }) => sum + fresh, 0),
    wrong: found.reduce((sum, { wrong }) => sum + wrong, 0),
    least: Math.min(...registers.map(({ acknowledged }) => acknowledged))
  }
}

const started = await start(t)

t.test('no response is older than its request', async t => {
  const { fresh, wrong, least } = await observe(started, allWays, writes)
  t.comment(`${fresh} values read, at least ${least} writes in each way`)
  t.equal(wrong, 0)
  t.ok(fresh > 0 && least > 0)
})

t.test('without a trigger the test would fail', async t => {
  const drop =
    engine === 'postgres'
      ? 'drop trigger product_version_update on product_template'
      : 'drop trigger product_version_template_update'
  await sql.raw(drop).execute(started.db)
  await started.db.deleteFrom('product_template').execute()
  // Other writes would change the version, and a slow reader would find nothing old.
  t.ok((await observe(started, () => [updateBySql(started.db)])).wrong > 0)
})

// Tokens need no trigger of templates.
t.test('a token that has ended is refused at once, whatever is cached', async t => {
  const { db, urls } = started
  const places = await logIn(urls)
  const ends: ((token: string, place: Place) => Promise<unknown>)[] = [
    (token, { url }) =>
      fetch(`${url}/oauth/revoke`, {
        method: 'POST',
        headers: { authorization: basic(), 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ token })
      }),
    () => sql`update product_user set token_epoch = token_epoch + 1`.execute(db),
    () => sql`update product_user set time_disabled = '2026-01-01T00:00:00.000000Z'`.execute(db),
    () => sql`update product_client set time_disabled = '2026-01-01T00:00:00.000000Z'`.execute(db),
    () => sql`delete from product_signing_key`.execute(db)
  ]
  const source = '{ allProducts { id name } }'
  for (const [index, end] of ends.entries()) {
    const tokens = await Promise.all(places.map(({ url }) => accessToken(url)))
    // A token of one place is refused by the other, too, if they have different issuers.
    for (const [at, place] of places.entries())
      for (let count = 0; count < 3; count++)
        t.equal((await query(place.url, tokens[at] as string, source)).status, 200)
    for (const [at, place] of places.entries()) await end(tokens[at] as string, place)
    for (const [at, place] of places.entries())
      t.equal((await query(place.url, tokens[at] as string, source)).status, 401, `${index}`)
    await sql`update product_user set time_disabled = null`.execute(db)
    await sql`update product_client set time_disabled = null`.execute(db)
  }
})
