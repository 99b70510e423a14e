/** The requests of the benchmark with the same text and new variables. */
import { text } from 'node:stream/consumers'
import { t } from 'tap'
import { bodyOf, type Kind, kinds } from '../../bench/kinds.ts'
import { fillBody, type LoadProgram, runLoad } from '../../bench/load.ts'
import { startServer } from '../../bench/server-process.ts'
import { openDatabase } from '../../features/database.ts'
import { generateLoadTemplates } from '../../seeds/load.ts'
import { migratedUrl } from '../support/database/database.ts'
import { accessToken } from '../support/http/http.ts'
import { listen } from '../support/http/listening.ts'
import { addTemplates, service } from '../support/service/service.ts'

t.test('plain Mercurius and Kysely answer each kind as the service does', async t => {
  const store = await migratedUrl(t)
  const db = await openDatabase(store)
  t.teardown(() => db.destroy())
  const { url } = await service(t, { db })
  await addTemplates(db, ...generateLoadTemplates(20))
  const program = new URL('../../bench/contenders/mercurius.ts', import.meta.url).pathname
  const plain = await startServer([program, store.replace(/^sqlite:/, ''), '--jit'])
  t.teardown(() => plain.stop())

  const ask = async (address: string, token: string, body: string) => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` }
    return (await fetch(address, { method: 'POST', headers, body })).json()
  }
  const token = await accessToken(url)
  const numbers = { id: [3], blockchainId: [2], offset: [4] }
  for (const [name, kind] of Object.entries<Kind>(kinds)) {
    const body = fillBody(bodyOf(kind), 1, numbers)
    const answer = await ask(`${url}/graphql`, token, body)
    t.match(JSON.stringify(answer), /"blockchainId":/, name)
    t.same(await ask(plain.firstLine.url ?? '', plain.firstLine.token ?? '', body), answer, name)
  }
})

t.test('no request of a load repeats the variables of another', async t => {
  for (const program of ['autocannon', 'paced'] satisfies LoadProgram[]) {
    const bodies: string[] = []
    const { url } = await listen(t, async (request, response) => {
      bodies.push(await text(request))
      response.end('{}')
    })
    const load = { headers: {}, connections: 2, seconds: 1, varied: true }
    const { requests } = await runLoad(
      { ...load, url, body: bodyOf(kinds.page), numbers: { blockchainId: [7, 8] } },
      { program }
    )
    t.ok(requests > 10)
    t.equal(new Set(bodies).size, bodies.length, program)
    const parsed = bodies.map(body => JSON.parse(body))
    t.same(new Set(parsed.map(({ query }) => query)), new Set([kinds.page.query]))
    t.same(new Set(parsed.map(({ variables }) => variables.blockchainId)), new Set([7, 8]))
  }
})
