import type { FastifyInstance } from 'fastify'
import { generateClientSecret, hashClientSecret } from '../../credentials/client-secret.ts'
import { findClient, insertClient, updateRights } from '../../db/accounts/clients.ts'
import type { Db } from '../../db/schema.ts'
import { transact } from '../../db/transaction.ts'

/** The explorer as a client of the service, like any other page: public, and of the operator. */
const explorer = {
  id: 'explorer',
  grantTypes: ['refresh_token', 'authorization_code'],
  scopes: ['read', 'write', 'profile'],
  mayIntrospect: false,
  isPublic: true,
  firstParty: true,
  displayName: 'the explorer'
}

/**
 * Makes a function that adds the client to the database, and the address of this service to its redirect URIs, where one
 * of them is missing. The address is known only once the server listens, so this happens when the page is first asked
 * for. Several services on one database each add theirs; none removes any. A client that an operator disabled stays so.
 */
export function registrationOf(app: FastifyInstance): () => Promise<void> {
  let registered: Promise<void> | undefined
  return () => {
    registered ??= register(app.productStore, `${app.productTokens.issuer()}/`).catch(error => {
      registered = undefined
      throw error
    })
    return registered
  }
}

async function register(db: Db, redirectUri: string): Promise<void> {
  await transact(db, async transaction => {
    const found = await findClient(transaction, explorer.id)
    if (!found) {
      // A public client has no secret: nobody knows this one.
      const secretHash = hashClientSecret(generateClientSecret())
      return insertClient(transaction, { ...explorer, secretHash, redirectUris: [redirectUri] })
    }
    // A client of this name with a secret is somebody else's.
    if (!found.isPublic || found.redirectUris.includes(redirectUri)) return
    await updateRights(transaction, explorer.id, { redirectUris: [...found.redirectUris, redirectUri] })
  })
}
