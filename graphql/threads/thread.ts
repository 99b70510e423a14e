/** The state of a worker thread between operations: its connections, and Mercurius. */
import Fastify from 'fastify'
import type { MercuriusPlugin } from 'mercurius'
import { move, transferableSymbol, valueSymbol } from 'piscina'
import { type DatabaseSource, reopenDatabase } from '../../db/connect.ts'
import type { Db } from '../../db/schema.ts'
import type { ServiceSettings } from '../../options/index.ts'
import { addMercurius } from '../mercurius.ts'
import { executeTask, type WorkerAnswer, type WorkerTask } from './task.ts'

/** The data that a thread starts with. */
export interface ThreadData {
  settings: ServiceSettings
  source: DatabaseSource
}

let graphql: MercuriusPlugin | undefined
let db: Db | undefined

/** Executes an operation. A long body moves to the other thread. Rejects with an error that is not the caller's. */
export async function answerTask({ settings, source }: ThreadData, task: WorkerTask): Promise<WorkerAnswer> {
  graphql ??= await openGraphql(settings)
  db ??= await openStore(settings, source)
  const answer = await executeTask(graphql, db, settings, task)
  if (typeof answer.body === 'string') return answer
  return move({
    [transferableSymbol]: answer.body.map(({ buffer }) => buffer) as never,
    [valueSymbol]: answer
  }) as never
}

/** Opens the database. If the thread is ended, a server may continue its statement until the statement timeout. */
function openStore(
  { databaseQueryTimeout, graphqlTimeout, databaseRead }: ServiceSettings,
  source: DatabaseSource
) {
  const options = { ...source.options, databaseQueryTimeout: Math.min(databaseQueryTimeout, graphqlTimeout) }
  return reopenDatabase({ ...source, options }, databaseRead)
}

async function openGraphql(settings: ServiceSettings): Promise<MercuriusPlugin> {
  const app = Fastify()
  await addMercurius(app, settings)
  await app.ready()
  return app.graphql
}
