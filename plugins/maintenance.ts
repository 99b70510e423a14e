import fp from 'fastify-plugin'
import { maintainKeys } from '../credentials/key-rotation.ts'
import { deleteEndedAttempts } from '../db/accounts/attempts.ts'
import { deleteOldCodes } from '../db/accounts/authorization-codes.ts'
import { deleteExpiredSecrets } from '../db/accounts/clients.ts'
import { deleteExpiredFamilies } from '../db/accounts/refresh-tokens.ts'
import { deleteEndedSessions } from '../db/accounts/sessions.ts'
import { deleteExpiredRevocations } from '../db/accounts/token-status.ts'
import { deleteExpiredResults } from '../db/templates/revisions/idempotency.ts'
import type { ServiceSettings } from '../options.ts'

/** Milliseconds between rounds. */
const interval = 60_000

/** Every minute, rotates the signing key if due and deletes expired rows. */
export const maintenance = fp<ServiceSettings>(
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
      () => deleteExpiredSecrets(db),
      () => deleteEndedAttempts(db),
      () => deleteOldCodes(db),
      () => deleteEndedSessions(db, options),
      () => deleteExpiredResults(db)
    ]
    const round = async () => {
      // If a step fails, the others still run.
      for (const step of steps)
        await step().catch(error => app.log.error({ err: error }, 'maintenance failed'))
    }
    const timer = setInterval(round, interval)
    timer.unref()
    app.addHook('onClose', async () => clearInterval(timer))
  },
  { name: 'product-maintenance', fastify: '5.x', dependencies: ['product-store'] }
)
