// Runs on SQLite only, undisturbed, in test:all only: PostgreSQL works in separate processes.
/** As availability.test.ts, with very large documents. Each commit sends an eighth; `SECONDS=60` sends all. */
import { sql } from 'kysely'
import { t } from 'tap'
import { openDatabase } from '../../../features/database.ts'
import { migratedUrl } from '../../support/database/database.ts'
import { seed } from '../../support/generated/seed.ts'
import { addClient, addTemplates, addUser } from '../../support/service/service.ts'
import { check, megabyte, watched } from './check.ts'
import { differentDocuments, namesOf15Pages, requestsOfLargeDocuments } from './requests.ts'
import { observe } from './watched-service.ts'

const parts = Number(process.env.SECONDS ?? 0) >= 60 ? 1 : 8
const part = seed % parts
const isChosen = (_: unknown, index: number) => index % parts === part
const requests = Object.entries(requestsOfLargeDocuments).filter(isChosen)
const differences = Object.entries(differentDocuments).filter(isChosen)

const changed = 200

/** Changes a template, and asks for its document several times. */
const changeAndRead = (times: number) => {
  const documents = Array.from(
    { length: times },
    (_, n) => `a${n}: document { attributes { traitType text } }`
  )
  return {
    query: `mutation { updateProduct(id: ${changed}, input: { maxItems: ${times} }) { product { ${documents} } } }`
  }
}

t.test('a store of large documents', async t => {
  const url = await migratedUrl(t)
  const db = await openDatabase(url)
  await addUser(db)
  await addClient(db)
  const text = 'word '.repeat(700)
  const large = { attributes: Array.from({ length: 70 }, (_, n) => ({ trait_type: `t${n}`, value: text })) }
  const many = {
    attributes: Array.from({ length: 100_000 }, (_, n) => ({ trait_type: `m${n % 3000}`, value: n }))
  }
  await addTemplates(
    db,
    ...Array.from({ length: 42 }, (_, id) => ({ data: JSON.stringify(id === 1 ? many : large) }))
  )
  // Each has a second revision.
  for (const [index, [, make]] of differences.entries()) {
    const id = 100 + index
    await addTemplates(db, { id, data: JSON.stringify(make(1)) })
    await sql`update product_template set data = ${JSON.stringify(make(2))} where id = ${id}`.execute(db)
  }
  await addTemplates(db, {
    id: changed,
    data: JSON.stringify({ attributes: many.attributes.slice(0, 20_000) })
  })
  await db.destroy()
  const { service, tokens } = await watched(t, url)
  for (const [name, body] of requests) await t.test(name, async t => check(t, service, tokens, body))

  for (const [index, [name, make]] of differences.entries()) {
    const id = 100 + index
    await t.test(`a difference: ${name}`, async t => {
      const query = `{ revisionDiff(id: ${id}, from: 1, to: 2) { patch text } }`
      await check(t, service, tokens, { query })
    })
    await t.test(`a difference of a dry run: ${name}`, async t => {
      const query = `mutation($data: String) {
        updateProduct(id: ${id}, input: { data: $data }, dryRun: true) { diff { patch text } userErrors { code } }
      }`
      await check(t, service, tokens, { query, variables: { data: JSON.stringify(make(3)) } })
    })
  }

  await t.test('a mutation returns a document of 20,000 attributes', async t => {
    const observed = await check(t, service, tokens, changeAndRead(1))
    t.same(observed.codes, [])
    t.ok(observed.size > megabyte / 2, `${observed.size} bytes`)
  })

  await t.test('a mutation returns no more documents than fit into memory', async t => {
    const observed = await check(t, service, tokens, changeAndRead(15), { maxAnswer: 16 * megabyte })
    t.match(observed.codes, ['RESULT_TOO_LARGE'])
  })

  await t.test('the documents of several pages are never in memory together', async t => {
    const { service, tokens } = await watched(t, url, { NODE_OPTIONS: '--max-old-space-size=112' })
    const { status, codes } = await observe(service, tokens, namesOf15Pages)
    t.same({ status, codes }, { status: 200, codes: [] }, 'the heap is large enough')
  })
})
