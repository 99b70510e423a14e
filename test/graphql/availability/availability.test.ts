/** No request holds the service up: each is answered, and meanwhile so are other clients. docs/security.md promises it. */
import { t } from 'tap'
import { openDatabase } from '../../../db/connect.ts'
import { generateLoadTemplates } from '../../../seeds/load.ts'
import { seedLoad } from '../../../seeds/seed.ts'
import { databaseUrl } from '../../database.ts'
import { graphqlRequest } from '../../http.ts'
import { addClient, addUser, cheapHash } from '../../service.ts'
import { check, megabyte, watched } from './check.ts'
import { contract, everyDocument16Times, requests } from './requests.ts'

const templates = 20_000

// On a busy machine.
t.setTimeout(600_000)

t.test(`a store of ${templates} templates`, async t => {
  const url = await databaseUrl(t)
  const db = await openDatabase(url)
  await seedLoad(db, cheapHash, templates, () => {})
  await addUser(db)
  await addClient(db)
  await db.destroy()

  await t.test('every request gets an answer, and so do others meanwhile', async t => {
    const { service, tokens } = await watched(t, url)
    for (const [name, body] of Object.entries(requests))
      await t.test(name, async t => check(t, service, tokens, body))
  })

  await t.test("the contract's own query is never refused, and has the bytes of JSON.stringify", async t => {
    const { service, tokens } = await watched(t, url, { GRAPHQL_MAX_COST: '1000', GRAPHQL_TIMEOUT: '60' })
    await check(t, service, tokens, contract)
    const response = await graphqlRequest(service.url, tokens.own, contract)
    t.ok(Buffer.from(await response.arrayBuffer()).equals(expectedAnswer()))
  })

  await t.test('an answer that is too large is refused before it takes the memory', async t => {
    const { service, tokens } = await watched(t, url, {
      GRAPHQL_MAX_RESULT_SIZE: `${64 * megabyte}`
    })
    await check(t, service, tokens, everyDocument16Times, 64 * megabyte)
    const response = await graphqlRequest(service.url, tokens.own, everyDocument16Times)
    t.match(await response.json(), {
      data: null,
      errors: [{ message: /exceeds 67108864 bytes/, extensions: { code: 'RESULT_TOO_LARGE' } }]
    })
    t.equal((await fetch(`${service.url}/livez`)).status, 200)
  })
})

/** The answer to the contract's query, as simple as can be. */
function expectedAnswer(): Buffer {
  const latestFirst = [...generateLoadTemplates(templates)].sort((one, other) =>
    one.timeModified === other.timeModified
      ? other.id - one.id
      : one.timeModified < other.timeModified
        ? 1
        : -1
  )
  return Buffer.from(JSON.stringify({ data: { allProducts: latestFirst } }))
}
