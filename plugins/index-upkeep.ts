import { setTimeout } from 'node:timers/promises'
import fp from 'fastify-plugin'
import { keepIndex } from '../db/templates/index/upkeep.ts'
import { keepRevisions } from '../db/templates/revision-hashes.ts'

/** Milliseconds between checks for pending templates. */
const interval = 1000

/**
 * Keeps what is derived from templates complete in the background: rebuilds an index of another version, and completes
 * what triggers recorded of templates written by plain SQL.
 */
export const indexUpkeep = fp(
  async app => {
    const db = app.productStore
    const closing = new AbortController()
    const { signal } = closing
    const report = (what: 'begin' | 'end', milliseconds?: number) => {
      if (what === 'begin') app.log.info('rebuilding the index of templates: filters that need it get 503')
      else app.log.info({ milliseconds }, 'the index of templates is complete')
    }
    const keep = async () => {
      while (!signal.aborted) {
        await keepIndex(db, { signal, report }).catch(err => {
          if (!signal.aborted) app.log.error({ err }, 'indexing templates failed')
        })
        await keepRevisions(db, signal).catch(err => {
          if (!signal.aborted) app.log.error({ err }, 'recording revisions failed')
        })
        await setTimeout(interval, undefined, { signal, ref: false }).catch(() => {})
      }
    }
    let running: Promise<void> | undefined
    app.addHook('onReady', async () => {
      running = keep()
    })
    app.addHook('onClose', async () => {
      closing.abort()
      await running
    })
  },
  { name: 'product-index-upkeep', fastify: '5.x', dependencies: ['product-store'] }
)
