import Fastify, { type FastifyInstance } from 'fastify'
import type { Test } from 'tap'
import type { Db } from '../../../db/schema.ts'
import { productTemplates, type ServiceOptions } from '../../../index.ts'
import { addClient, addUser, cheapHash, database, testLimits } from './service.ts'

/** Starts a service that collects its log lines. `setUp` may add hooks to its host. */
export async function loggedService(
  t: Test,
  options: ServiceOptions & { db?: Db; setUp?: (app: FastifyInstance) => void } = {}
) {
  const { db = await database(t), setUp, ...settings } = options
  await addUser(db)
  await addClient(db)
  const lines: Record<string, unknown>[] = []
  const stream = { write: (line: string) => void lines.push(JSON.parse(line)) }
  const app = Fastify({ logger: { level: 'trace', stream } })
  t.teardown(() => app.close())
  setUp?.(app)
  await app.register(productTemplates, { db, ...cheapHash, ...testLimits, ...settings })
  return { app, db, lines, url: await app.listen({ port: 0, host: '127.0.0.1' }) }
}
