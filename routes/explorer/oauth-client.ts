import type { FastifyInstance } from 'fastify'
import { generateSecret, hashSecret } from '../../accounts/credentials/secrets.ts'
import {
  findStoredClient,
  insertClient,
  type StoredClient,
  updateStoredClient
} from '../../db/accounts/clients.ts'
import type { Db } from '../../db/schema.ts'
import { transact } from '../../db/transaction.ts'

/** The explorer is an OAuth client of the service: public, and first-party. */
export const explorer = {
  id: 'explorer',
  grantTypes: ['refresh_token', 'authorization_code'],
  scopes: ['read', 'write', 'profile', 'admin'],
  mayIntrospect: false,
  isPublic: true,
  firstParty: true,
  displayName: 'the explorer'
}

/** Whether a client is the explorer. A client of the same name with a secret is another client. */
export const isExplorer = ({ id, isPublic, firstParty }: StoredClient): boolean =>
  id === explorer.id && isPublic && firstParty

/** The only redirect URI of the explorer is its page at this service, under the present issuer. */
export const makeExplorerRedirectUri = (app: FastifyInstance): string => `${app.productTokens.issuer()}/`

/**
 * Makes a function that adds the client to the database, or updates its redirect URI. The first request for the page
 * calls it, because the address is known only when the server listens. A client that an operator has disabled stays
 * disabled.
 */
export function createRegistration(app: FastifyInstance): () => Promise<void> {
  let registered: Promise<void> | undefined
  return () => {
    registered ??= register(app.productStore, makeExplorerRedirectUri(app)).catch(error => {
      registered = undefined
      throw error
    })
    return registered
  }
}

async function register(db: Db, redirectUri: string): Promise<void> {
  await transact(db, async transaction => {
    const found = await findStoredClient(transaction, explorer.id)
    if (!found) {
      // A public client uses no secret, so this one is known to nobody.
      const secretHash = hashSecret(generateSecret())
      return insertClient(transaction, { ...explorer, secretHash, redirectUris: [redirectUri] })
    }
    if (!found.isPublic || found.redirectUris.join(' ') === redirectUri) return
    await updateStoredClient(transaction, explorer.id, { redirectUris: [redirectUri] })
  })
}
