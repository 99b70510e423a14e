import fp from 'fastify-plugin'
import { maintainKeys } from '../credentials/key-rotation.ts'
import type { KeySettings } from '../credentials/key-store.ts'
import { deleteEndedAttempts } from '../db/accounts/attempts.ts'
import { deleteExpiredFamilies } from '../db/accounts/refresh-tokens.ts'
import { deleteExpiredRevocations } from '../db/accounts/token-status.ts'

export interface MaintenanceOptions extends KeySettings {
  signingKeyMaxAge: number
  accessTokenTtl: number
  /** The keys of a file are not ours to change. */
  signingKeysFile?: string
}

/** Milliseconds between two rounds. */
const interval = 60_000

/** Once a minute: a step of a due key rotation, and forgetting what has expired. */
export const maintenance = fp<MaintenanceOptions>(
  async (app, options) => {
    const db = app.productStore
    const rotateKeys = async () => {
      const step = options.signingKeysFile === undefined ? await maintainKeys(db, options) : undefined
      if (step) app.log.info(step, 'signing key rotated')
    }
    const steps = [
      rotateKeys,
      () => deleteExpiredRevocations(db),
      () => deleteExpiredFamilies(db, options.accessTokenTtl),
      () => deleteEndedAttempts(db)
    ]
    const round = async () => {
      // What fails keeps nothing else from being done.
      for (const step of steps)
        await step().catch(error => app.log.error({ err: error }, 'maintenance failed'))
    }
    const timer = setInterval(round, interval)
    timer.unref()
    app.addHook('onClose', async () => clearInterval(timer))
  },
  { name: 'product-maintenance', fastify: '5.x', dependencies: ['product-store'] }
)
