import fp from 'fastify-plugin'
import { keepIndex } from '../db/templates/index/rebuild.ts'
import { completeRevisions } from '../db/templates/revisions/hashes.ts'
import { repeatUntilClose } from './background.ts'

/** Milliseconds between checks for pending templates. */
const interval = 1000

/**
 * Keeps what is derived from templates complete in the background: rebuilds an index of another version, and completes
 * what triggers recorded of templates written by plain SQL.
 */
export const indexUpkeep = fp(
  async app => {
    const db = app.productStore
    const report = (what: 'begin' | 'end', milliseconds?: number) => {
      if (what === 'begin') app.log.info('rebuilding the index of templates: filters that need it get 503')
      else app.log.info({ milliseconds }, 'the index of templates is complete')
    }
    repeatUntilClose(app, async signal => {
      await keepIndex(db, { signal, report }).catch(err => {
        if (!signal.aborted) app.log.error({ err }, 'indexing templates failed')
      })
      await completeRevisions(db, signal).catch(err => {
        if (!signal.aborted) app.log.error({ err }, 'recording revisions failed')
      })
      return interval
    })
  },
  { name: 'product-index-upkeep', fastify: '5.x', dependencies: ['product-store'] }
)
