/** Clients that nobody has registered. They describe themselves, and features find them. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { isDescribed } from '../../accounts/clients.ts'
import { findStoredClient, type StoredClient } from '../../db/accounts/clients.ts'
import { getClient } from '../../plugins/authentication/client-auth.ts'
import { invalidClient } from '../../runtime/errors.ts'

/**
 * Finds a client that is not registered: its id is the URL of its metadata document. `stored` is its row if it has
 * logged in before. Throws `invalid_request` if its document is wrong.
 */
export type FindDescribedClient = (
  request: FastifyRequest,
  id: string,
  stored: StoredClient | undefined
) => Promise<StoredClient | undefined>

/** Finds a client in the store, or one that describes itself. */
export async function findClient(request: FastifyRequest, id: string): Promise<StoredClient | undefined> {
  const { productStore: db, productServerAdditions } = request.server
  const stored = await findStoredClient(db, id)
  if (!isDescribed(id) || stored?.disabled) return stored
  for (const { findDescribedClient } of productServerAdditions) {
    const found = await findDescribedClient?.(request, id, stored)
    if (found) return found
  }
  return undefined
}

/** Whether a feature finds clients that describe themselves. */
export const findsDescribedClients = ({ productServerAdditions }: FastifyInstance): boolean =>
  productServerAdditions.some(({ findDescribedClient }) => findDescribedClient)

/**
 * Throws `invalid_client` for a client that describes itself if no feature finds such clients. Its row outlives the
 * feature, and without the feature it could not log in. It is public; a host may have given a colon to any other one.
 */
export async function refuseUnfoundClient(request: FastifyRequest): Promise<void> {
  const { id, isPublic } = getClient(request)
  if (isPublic && isDescribed(id) && !findsDescribedClients(request.server))
    throw invalidClient('unknown client', 'unknown_client')
}
