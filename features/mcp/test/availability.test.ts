// Runs on SQLite only, undisturbed, in test:all only: it measures its process.
/** As availability.test.ts, with the messages to `/mcp` that the SDK took longest for. */
import { t } from 'tap'
import { isWithin, maxTurn, megabyte, observeAgain } from '../../../test/graphql/availability/check.ts'
import { serveWatched } from '../../../test/graphql/availability/watched-service.ts'
import { migratedUrl } from '../../../test/support/database/database.ts'
import { accessToken } from '../../../test/support/http/http.ts'
import { listTools, post } from '../../../test/support/http/mcp.ts'
import { addClient, addTemplates, addUser } from '../../../test/support/service/service.ts'
import { openDatabase } from '../../database.ts'

const initialize = (more: object) => ({
  ...listTools,
  method: 'initialize',
  params: {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'x', version: '1' },
    ...more
  }
})
const call = (name: string, given: unknown) => ({
  ...listTools,
  method: 'tools/call',
  params: { name, arguments: given }
})
const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`key ${n}`, 0]))
const introduce = (icons: unknown) => initialize({ clientInfo: { name: 'x', version: '1', icons } })

const messages: Record<string, object> = {
  'icons that are numbers': introduce(Array(19_000).fill(0)),
  'as many as the SDK gets': introduce(Array(450).fill({})),
  'experimental capabilities': initialize({ capabilities: { experimental: keys(9_900) } }),
  'a long id': { ...listTools, id: '"'.repeat(450_000) },
  'unknown arguments': call('get_template', keys(9_900)),
  'alternatives of a filter': call('search_templates', { where: { or: Array(9_900).fill({}) } }),
  'traits of a new template': call('create_template', {
    input: {
      blockchainId: 1,
      maxItems: 1,
      name: 'x',
      document: { attributes: Array(4900).fill({ traitType: 'x' }) }
    }
  })
}

t.test('no message to /mcp holds the event loop', async t => {
  const url = await migratedUrl(t)
  const db = await openDatabase(url)
  await addUser(db)
  await addClient(db)
  await addTemplates(db, { id: 1 })
  await db.destroy()
  const service = await serveWatched(t, { DATABASE_URL: url, PASSWORD_MEMORY: '7168', MCP: 'true' })
  const take = (scope: string) => accessToken(service.url, { scope, resource: `${service.url}/mcp` })
  for (const token of [await take('read write'), await take('read')]) {
    for (const message of [listTools, initialize({}), call('get_template', { id: 1 })])
      await (await post(service.url, token, message)).bytes()
    for (const [name, message] of Object.entries(messages)) {
      const { turn, memory, size } = await observeAgain(async () => {
        await service.read()
        const response = await post(service.url, token, message)
        const { length: size } = await response.bytes()
        const answer = { status: response.status, size, codes: [], others: new Set<number>() }
        return { ...answer, ...(await service.read()) }
      })
      t.ok(isWithin(turn, maxTurn), `${name}: a turn took ${turn.toFixed()} ms`)
      t.ok(memory < 100 * megabyte, `${name}: ${memory} bytes of memory`)
      t.ok(size < megabyte, `${name}: ${size} bytes`)
    }
  }
})
