import type { FastifyInstance } from 'fastify'
import { generateSecret, hashSecret } from '../../credentials/secrets.ts'
import {
  findStoredClient,
  insertClient,
  type StoredClient,
  updateStoredClient
} from '../../db/accounts/clients.ts'
import type { Db } from '../../db/schema.ts'
import { transact } from '../../db/transaction.ts'

/** The explorer as a client of the service, like any other page: public, and of the operator. */
export const explorer = {
  id: 'explorer',
  grantTypes: ['refresh_token', 'authorization_code'],
  scopes: ['read', 'write', 'profile', 'admin'],
  mayIntrospect: false,
  isPublic: true,
  firstParty: true,
  displayName: 'the explorer'
}

/** Whether a client is the explorer. A client of this name with a secret is somebody else's. */
export const isExplorer = ({ id, isPublic, firstParty }: StoredClient): boolean =>
  id === explorer.id && isPublic && firstParty

/**
 * The only redirect URI of the explorer: its page at this service. This service does not accept those of other services
 * on the database. No service accepts those of former issuers.
 */
export const explorerRedirectUri = (app: FastifyInstance): string => `${app.productTokens.issuer()}/`

/**
 * Makes a function that adds the client to the database, or gives it the redirect URI of this service. The address is
 * known only once the server listens, so this happens when the page is first asked for. A client that an operator
 * disabled stays so.
 */
export function registrationOf(app: FastifyInstance): () => Promise<void> {
  let registered: Promise<void> | undefined
  return () => {
    registered ??= register(app.productStore, explorerRedirectUri(app)).catch(error => {
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
      // A public client has no secret: nobody knows this one.
      const secretHash = hashSecret(generateSecret())
      return insertClient(transaction, { ...explorer, secretHash, redirectUris: [redirectUri] })
    }
    if (!found.isPublic || found.redirectUris.join(' ') === redirectUri) return
    await updateStoredClient(transaction, explorer.id, { redirectUris: [redirectUri] })
  })
}
