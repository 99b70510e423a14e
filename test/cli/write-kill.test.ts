// Runs in test:all only.
/** Eight clients write while processes are killed. No revision is lost, doubled or incomplete. Use `WRITES=1000`. */
import { hash } from 'node:crypto'
import { type Test, t } from 'tap'
import type { Db } from '../../db/schema.ts'
import { completeRevisions } from '../../db/templates/revisions/hashes.ts'
import { findTemplateAt } from '../../db/templates/revisions/revisions.ts'
import { openDatabase } from '../../features/database.ts'
import { databaseUrl, engine, findCorruption } from '../support/database/database.ts'
import { random } from '../support/generated/seed.ts'
import { accessToken, basic, graphqlRequest } from '../support/http/http.ts'
import { startPostgres } from '../support/postgres/postgres.ts'
import { serve } from '../support/service/process.ts'
import { addClient, addUser, client } from '../support/service/service.ts'
import { until } from '../support/until.ts'

const clients = 8
const writes = Number(process.env.WRITES ?? 100)
const kills = 3
const ids = 20
const env = { PASSWORD_MEMORY: '7168', ADDRESS_LIMIT: '0', CLIENT_LIMIT: '0' }
const headers = { authorization: basic('app', client.secret) }

/** What an answer has confirmed. */
interface Acknowledged {
  id: number
  revision: number
  /** undefined for a deletion. */
  data: string | undefined
}

interface Reply {
  data?: { write?: { product: { id: number; revision: number; data: string }; userErrors: object[] } }
}

const operations = {
  create:
    'mutation ($id: Int!, $data: String!) { write: createProduct(input: { id: $id, blockchainId: 1, maxItems: 1, name: "n", data: $data }) { ...P } }',
  update:
    'mutation ($id: Int!, $data: String!) { write: updateProduct(id: $id, input: { data: $data }) { ...P } }',
  delete:
    'mutation ($id: Int!) { write: deleteProduct(id: $id) { product { id revision data } userErrors { code } } }',
  restore: 'mutation ($id: Int!) { write: restoreProduct(id: $id, revision: 1) { ...P } }'
}
const fragments: Record<string, string> = { create: 'Create', update: 'Update', restore: 'Restore' }

function source(action: keyof typeof operations): string {
  const type = fragments[action]
  const fragment = type
    ? ` fragment P on ${type}ProductPayload { product { id revision data } userErrors { code } }`
    : ''
  return operations[action] + fragment
}

const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T

/** One client that writes until nobody answers or enough is written. */
async function writer(url: string, token: string, acknowledged: Acknowledged[]): Promise<void> {
  while (acknowledged.length < writes) {
    const action = pick(['create', 'update', 'update', 'update', 'delete', 'restore'] as const)
    const id = Math.floor(random() * ids)
    const data = JSON.stringify({ name: `${random()}`, attributes: [] })
    const variables = { id, ...(action === 'create' || action === 'update' ? { data } : {}) }
    const written = await graphqlRequest(url, token, { query: source(action), variables }).then(
      async response => ((await response.json()) as Reply).data?.write,
      () => undefined
    )
    if (!written) return
    if (written.userErrors.length > 0) continue
    const { revision, data: stored } = written.product
    if (action === 'delete') acknowledged.push({ id, revision: revision + 1, data: undefined })
    else acknowledged.push({ id, revision, data: stored })
  }
}

async function check(t: Test, db: Db, acknowledged: Acknowledged[]): Promise<void> {
  await completeRevisions(db, new AbortController().signal)
  const rows = await db.selectFrom('product_revision').selectAll().orderBy('number').execute()
  const wrong: unknown[] = []
  for (const [id, revisions] of Map.groupBy(rows, row => row.template_id))
    for (const [index, { number, action, hash: stored }] of revisions.entries()) {
      const pinned = await findTemplateAt(db, id, number)
      const expected = action === 'DELETE' ? null : hash('sha256', pinned?.data ?? 'missing')
      if (number !== index + 1 || stored !== expected) wrong.push([id, number, action])
    }
  t.same(wrong, [], `${rows.length} revisions without gaps, each with its bytes`)
  const lost: unknown[] = []
  for (const { id, revision, data } of acknowledged)
    if ((await findTemplateAt(db, id, revision))?.data !== data) lost.push([id, revision])
  t.same(lost, [], `each of ${acknowledged.length} acknowledged writes is there`)
  const current = await db.selectFrom('product_template').select(['id', 'revision']).execute()
  const last = new Map(rows.map(row => [row.template_id, row]))
  const behind = current.filter(({ id, revision }) => last.get(id)?.number !== revision)
  t.same(behind, [], 'the current revision is the last one')
}

t.test(`${writes} writes, ${kills} kills`, async t => {
  // Its own server with its default settings: that of the suite does without some care for the disk.
  const server = engine === 'postgres' ? await startPostgres() : undefined
  if (server) t.teardown(() => server.stop())
  const url = server?.url ?? (await databaseUrl(t))
  const db = await openDatabase(url)
  await addUser(db)
  await addClient(db, { id: 'app' })
  await db.destroy()

  const acknowledged: Acknowledged[] = []
  for (let kill = 0; kill <= kills; kill++) {
    const service = await serve(t, [], { DATABASE_URL: url, ...env })
    const token = await accessToken(service.url, {}, headers)
    const writers = Array.from({ length: clients }, () => writer(service.url, token, acknowledged))
    const enough = kill === kills ? writes : ((kill + 1) * writes) / (kills + 2)
    await until(() => acknowledged.length >= enough)
    const killsServer = server && kill % 2 === 0
    if (killsServer) await server.kill()
    service.child.kill('SIGKILL')
    await Promise.all([...writers, service.ended])
    if (killsServer) await server.start()
    const found = await openDatabase(url)
    await check(t, found, acknowledged)
    await found.destroy()
  }
  t.same(await findCorruption(url), [])
})
