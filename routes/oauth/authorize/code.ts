import type { FastifyReply } from 'fastify'
import { isDocumentUrl } from '../../../accounts/client-document.ts'
import { generateSecret, hashSecret } from '../../../credentials/secrets.ts'
import { saveDescribedClient } from '../../../db/accounts/clients.ts'
import { insertCode } from '../../../db/accounts/logins/authorization-codes.ts'
import { addConsent } from '../../../db/accounts/logins/consents.ts'
import type { Session } from '../../../db/accounts/logins/sessions.ts'
import { transact } from '../../../db/transaction.ts'
import { type AuthorizationRequest, redirect, type Target } from './request.ts'

interface Answer extends Target, AuthorizationRequest {
  reply: FastifyReply
}

/** Sends a code that is bound to the whole request, RFC 6749 §4.1.2. `isAllowed`: the user has just consented. */
export async function sendCode(
  answer: Answer,
  { user, timeCreated }: Session,
  { isAllowed = false } = {}
): Promise<FastifyReply> {
  const { reply, client, redirectUri, challenge, scopes, nonce, resource } = answer
  const code = generateSecret()
  const parties = { clientId: client.id, userId: user.id }
  const request = { redirectUri, challenge, scopes, nonce, resource, timeAuthenticated: timeCreated }
  await transact(reply.server.productStore, async db => {
    // Only now, so that nobody without a login makes the service store clients.
    if (isDocumentUrl(client.id)) await saveDescribedClient(db, client)
    if (isAllowed) await addConsent(db, parties, scopes)
    await insertCode(db, { hash: hashSecret(code), ...parties, epoch: user.tokenEpoch, ...request })
  })
  const audit = { clientId: client.id, sub: user.id, scopes, remoteAddress: reply.request.ip }
  reply.request.log.info(audit, 'authorization granted')
  return redirect(reply, answer, { code })
}
