/** The work of a worker thread. Its connections and Mercurius stay open between operations. */
import Fastify from 'fastify'
import type { MercuriusPlugin } from 'mercurius'
import { type DatabaseSource, reopenDatabase } from '../../db/connect.ts'
import type { Db } from '../../db/schema.ts'
import { toRule } from '../../db/templates/rule.ts'
import { loadParts } from '../../features/load.ts'
import type { ServiceSettings } from '../../options/index.ts'
import { unitsPerMillisecond } from '../admission/unit-costs.ts'
import { loadApi } from '../api.ts'
import { type ExecutedOperation, executeOperation } from '../execute.ts'
import { addMercurius } from '../mercurius.ts'
import { type Caller, type Cost, type GraphqlRequestParameters, Operation } from '../operation/operation.ts'
import { type Failure, toFailure } from './failure.ts'

/** The data that a thread starts with. */
export interface ThreadData {
  settings: ServiceSettings
  source: DatabaseSource
}

/** An operation as plain data, on its way to a worker thread. */
export interface ThreadTask {
  parameters: GraphqlRequestParameters & { query: string }
  /** `rule` is the JSON of its `where`. */
  caller: Omit<Caller, 'rule'> & { rule: string | undefined }
  templatesVersion: string
  /** The address of the service. */
  issuer: string
  /** Bytes. */
  maxResultSize: number
  /** The time that is left for the operation. */
  milliseconds: number
}

/** An executed operation as plain data, on its way back. */
export interface ThreadAnswer {
  executed: ExecutedOperation
  cost: Cost
  /** Errors that were masked: the caller got only the id. */
  maskedErrors: { failure: Failure; errorId: string }[]
}

let graphql: MercuriusPlugin | undefined
let db: Db | undefined

/** Executes an operation. Rejects only if the service fails. The caller's mistakes are in the answer. */
export async function executeTask(
  { settings, source }: ThreadData,
  { parameters, caller, templatesVersion, issuer, maxResultSize, milliseconds }: ThreadTask
): Promise<ThreadAnswer> {
  graphql ??= await openGraphql(settings)
  db ??= await openStore(settings, source)
  const begun = readProcessorTime()
  const maskedErrors: ThreadAnswer['maskedErrors'] = []
  const operation = new Operation({
    parameters,
    caller: { ...caller, rule: caller.rule === undefined ? undefined : toRule(JSON.parse(caller.rule)) },
    settings: { ...settings, graphqlMaxResultSize: maxResultSize },
    issuer: () => issuer,
    db,
    templatesVersion,
    milliseconds,
    report: (error, errorId) => void maskedErrors.push({ failure: toFailure(error), errorId })
  })
  const executed = await executeOperation(graphql, operation)
  const cost = { ...operation.cost, actual: (readProcessorTime() - begun) * unitsPerMillisecond }
  return { executed, cost, maskedErrors }
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
  await addMercurius(app, await loadApi(await loadParts('schema', settings), settings), settings)
  await app.ready()
  return app.graphql
}

/**
 * Returns the processor time of this thread in milliseconds. Before Node.js 23.9, returns the time of a clock instead.
 */
function readProcessorTime(): number {
  if (!process.threadCpuUsage) return performance.now()
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
