import { versionsOf } from '../../db/versions.ts'
import { checkTokenAgain, getToken } from '../../plugins/authentication/bearer-auth.ts'
import type { VerifiedToken } from '../../plugins/authentication/tokens.ts'
import { overloaded } from '../../runtime/errors.ts'
import type { QueueSlot } from './operation-queue.ts'
import type { GraphqlExchange } from './request.ts'

/** Waits until the token of a request may start an operation. */
export const waitForSlot = (exchange: GraphqlExchange, getSignal: () => AbortSignal) =>
  exchange.request.server.productOperationQueue.takeSlot(
    getToken(exchange.request).jti,
    countRequestBytes(exchange),
    getSignal
  )

/**
 * Waits like {@link waitForSlot}. Rejects if the token has ended since its request arrived, or has other rights.
 */
export async function takeSlot(exchange: GraphqlExchange, getSignal: () => AbortSignal): Promise<QueueSlot> {
  const { request, reply, checkedAt } = exchange
  const before = getToken(request)
  const slot = await waitForSlot(exchange, getSignal)
  if (performance.now() - checkedAt <= longWait) return slot
  try {
    await checkTokenAgain(request, reply, await versionsOf(request.server.productStore).now())
    getSignal().throwIfAborted()
    // The operation, and the requests that have joined it, have the former rights.
    if (!haveEqualRights(before, getToken(request))) throw overloaded('the rights of the token have changed')
    return slot
  } catch (error) {
    slot.release(0)
    throw error
  }
}

/** Milliseconds of a wait after which the token is checked again: it may have been revoked meanwhile. */
const longWait = 1000

const haveEqualRights = (one: VerifiedToken, other: VerifiedToken): boolean =>
  one.jti === other.jti &&
  one.scope === other.scope &&
  one.mayPublish === other.mayPublish &&
  one.role === other.role &&
  one.rule?.text === other.rule?.text

/** Returns the bytes of a request. A body without a length counts as the largest. */
export function countRequestBytes({
  request: { method, headers, url },
  settings: { graphqlMaxBodySize }
}: GraphqlExchange): number {
  return method === 'GET' ? url.length : Number(headers['content-length'] ?? graphqlMaxBodySize)
}
