import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { maintainKeys } from '../accounts/credentials/key-rotation.ts'
import { expiredRows } from '../db/accounts/expired.ts'
import type { Tables } from '../db/tables.ts'
import { completeRevisions } from '../db/templates/revisions/hashes.ts'
import { maintainIndex } from '../db/templates/template-index/rebuild.ts'
import { deleteExpiredResults } from '../db/templates/writing/idempotency.ts'
import type { ServiceSettings } from '../options/index.ts'
import { repeatUntilClose } from './repeat-until-close.ts'

/** Milliseconds between rounds of deletions, and between checks for templates that are not indexed yet. */
const deletionIntervalMs = 60_000
const indexIntervalMs = 1000

/** Does the background work of the service. `tables` may have rows that expire. */
export const maintenance = fp<ServiceSettings & { tables: Tables }>(
  async (app, { tables, ...settings }) => {
    runMaintenance(app, tables, settings)
    completeTemplates(app)
  },
  { name: 'product-maintenance', fastify: '5.x', dependencies: ['product-store'] }
)

/** Every minute, rotates the signing key if due and deletes expired rows. */
function runMaintenance(app: FastifyInstance, tables: Tables, settings: ServiceSettings): void {
  const db = app.productStore
  const rotateKeys = async () => {
    const step = settings.signingKeysFile === undefined ? await maintainKeys(db, settings) : undefined
    if (step)
      app.log.info(step, step.step === 'published' ? 'next signing key published' : 'signing key rotated')
  }
  const round = async (signal: AbortSignal) => {
    const deletions = expiredRows(db, tables, settings).map(query => () => query.execute())
    // If a step fails, the others still run.
    for (const step of [rotateKeys, ...deletions, () => deleteExpiredResults(db)])
      if (!signal.aborted) await step().catch(err => app.log.error({ err }, 'maintenance failed'))
    return deletionIntervalMs
  }
  // The first round waits, because processes that restart often, or at the same time, would do little else.
  repeatUntilClose(app, round, deletionIntervalMs)
}

/** Completes what derives from templates: rebuilds an old index, indexes new templates, hashes revisions. */
function completeTemplates(app: FastifyInstance): void {
  const db = app.productStore
  const report = (what: 'begin' | 'end', milliseconds?: number) => {
    if (what === 'begin') app.log.info('reindexing all templates')
    else app.log.info({ milliseconds }, 'the index of templates is complete')
  }
  repeatUntilClose(app, async signal => {
    const logUnlessClosing = (what: string) => (err: unknown) => {
      if (!signal.aborted) app.log.error({ err }, what)
    }
    await maintainIndex(db, { signal, report }).catch(logUnlessClosing('indexing templates failed'))
    await completeRevisions(db, signal).catch(logUnlessClosing('hashing revisions failed'))
    return indexIntervalMs
  })
}
