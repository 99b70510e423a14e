import type { FastifyInstance } from 'fastify'
import type { Client } from '../../db/accounts/clients.ts'
import { openRequestCounter } from '../../db/accounts/request-counter.ts'
import { tooManyRequests } from '../../errors.ts'
import type { ServiceSettings } from '../../options.ts'

const windowSeconds = 60

/**
 * Creates a function that counts a request of an authenticated client. It throws 429 beyond the limit. A public client is
 * not authenticated: with its id, anyone could use up the limit of all its users.
 */
export function createClientLimit(
  app: FastifyInstance,
  { clientLimit }: ServiceSettings
): (client: Client) => Promise<void> {
  if (clientLimit === 0) return async () => {}
  const counter = openRequestCounter(app.productStore, windowSeconds, err =>
    app.log.error({ err }, 'the token requests of clients could not be stored')
  )
  app.addHook('onClose', () => counter.flush())
  return async ({ id, isPublic }) => {
    if (isPublic) return
    const { count, secondsLeft } = await counter.count(id)
    if (count > clientLimit) throw tooManyRequests(`token requests of client ${id}`, secondsLeft)
  }
}
