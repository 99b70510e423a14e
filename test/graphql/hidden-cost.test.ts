/** What a rule hides does not show in costs. `SECONDS=60` compares a thousand pairs of stores. */
import Fastify from 'fastify'
import { type Test, t } from 'tap'
import type { Db } from '../../db/schema.ts'
import type { ProductTemplate } from '../../domain/columns.ts'
import { openDatabase } from '../../features/database.ts'
import { productTemplates } from '../../index.ts'
import { users } from '../../store.ts'
import { migratedUrl } from '../support/database/database.ts'
import fc from '../support/generated/fast-check.ts'
import { accessToken, graphqlRequest } from '../support/http/http.ts'
import { addClient, addTemplates, addUser, cheapHash, testLimits, user } from '../support/service/service.ts'
import { type HeavyOperation, heavyOperations } from './heavy.ts'

const pairs = Math.min(1000, 8 * Math.max(1, 3 * Number(process.env.SECONDS ?? 0)))
/** Operations that each pair is asked. */
const asked = 5

/** Some operations of the generator cost less, some more. */
const graphqlMaxCost = 1000

/** A template that each rule permits, as all visible ones, or none. */
const toTemplate = (isVisible: boolean, name: string, values: string[]): Partial<ProductTemplate> => ({
  name,
  componentName: isVisible ? 'TrackingRecord' : 'DefaultProduct',
  data: JSON.stringify({
    description: isVisible ? 'amber' : name,
    attributes: values.map(value => ({ trait_type: isVisible ? 'Seen' : 'Hidden', value }))
  })
})

const rules = [
  { componentName: { equals: 'TrackingRecord' } },
  { trait: { type: 'Seen', exists: true } },
  { search: 'amber' }
]

const text = fc.string({ maxLength: 8 })
const visible = fc.array(
  fc
    .tuple(text, fc.array(text, { minLength: 1, maxLength: 3 }))
    .map(([name, values]) => toTemplate(true, name, values)),
  { maxLength: 4 }
)
/** A few values, or so many long ones that they would change the statistics of a store. */
const hiddenValues = fc.oneof(
  fc.array(text, { maxLength: 3 }),
  fc.tuple(fc.nat(400), fc.nat(100)).map(([count, length]) => Array<string>(count).fill('x'.repeat(length)))
)
const hidden = fc
  .tuple(text, hiddenValues)
  .map(([name, values]) => toTemplate(false, `violet ${name}`, values))

/** Two lists of hidden templates, such that both stores have the same power of two of templates. */
const twoHidden = (seen: number) =>
  fc
    .integer({ min: Math.max(1, Math.ceil(Math.log2(seen + 1))), max: 5 })
    .map(bits => ({ minLength: Math.max(0, 2 ** (bits - 1) - seen), maxLength: 2 ** bits - 1 - seen }))
    .chain(limits => fc.tuple(fc.array(hidden, limits), fc.array(hidden, limits)))

interface Pair {
  rule: (typeof rules)[number]
  stores: Partial<ProductTemplate>[][]
  operations: HeavyOperation[]
}

const anyPair: fc.Arbitrary<Pair> = visible.chain(seen =>
  fc.record({
    rule: fc.constantFrom(...rules),
    stores: twoHidden(seen.length).map(both => both.map(unseen => [...seen, ...unseen])),
    operations: fc.array(heavyOperations(), { minLength: asked, maxLength: asked })
  })
)

/** Makes a database with a user, and a token that is good for all services on it. */
async function prepare(t: Test): Promise<{ url: string; token: string }> {
  const url = await migratedUrl(t)
  const db = await openDatabase(url)
  await addUser(db)
  await addClient(db)
  return withService(db, async origin => ({ url, token: await accessToken(origin, { scope: 'read' }) }))
}

/** Runs a job with a new service, which knows no statistics of its store, and closes it. */
async function withService<T>(db: Db, job: (origin: string) => Promise<T>): Promise<T> {
  // Not `host`, because the test would keep all of them in memory until its end.
  const app = Fastify({ pluginTimeout: 0 })
  await app.register(productTemplates, { db, graphqlMaxCost, issuer, ...cheapHash, ...testLimits })
  try {
    return await job(await app.listen({ port: 0, host: '127.0.0.1' }))
  } finally {
    await app.close()
    await db.destroy()
  }
}

const issuer = 'http://issuer.test'

/** What each operation is told to cost, its limit, and whether it is refused for that. */
async function askCosts({ url, token }: { url: string; token: string }, pair: Pair, store: number) {
  const db = await openDatabase(url)
  await db.deleteFrom('product_template').execute()
  await addTemplates(db, ...(pair.stores[store] ?? []))
  await users.update(db, user.email, { where: pair.rule })
  return withService(db, async origin => {
    const told: string[] = []
    for (const operation of pair.operations) {
      const response = await graphqlRequest(origin, token, operation, { 'GraphQL-Cost': '1' })
      // biome-ignore lint/suspicious/noExplicitAny: the shape is what the test is about to check
      const { errors, extensions } = (await response.json()) as any
      if (!extensions) throw new Error(`${response.status} ${JSON.stringify(errors)}`)
      const refusal = errors?.find((error: typeof extensions) => error.extensions.code === 'COST_LIMIT')
      told.push(JSON.stringify({ cost: extensions.cost, refusal: refusal ?? null }))
    }
    return told
  })
}

t.test('W10: costs and their limit are the same, whatever a rule hides', async t => {
  const [one, other] = [await prepare(t), await prepare(t)]
  const counts = { admitted: 0, refused: 0 }
  await fc.assert(
    fc.asyncProperty(anyPair, async pair => {
      const wanted = await askCosts(one, pair, 0)
      const found = await askCosts(other, pair, 1)
      for (const told of wanted) counts[told.endsWith('null}') ? 'admitted' : 'refused']++
      if (String(found) !== String(wanted)) throw new Error(`${wanted}\n${found}`)
    }),
    { numRuns: pairs, endOnFailure: true }
  )
  t.ok(counts.admitted >= pairs / 2 && counts.refused >= pairs / 4, JSON.stringify(counts))
})
