import type { FastifyRequest, preValidationAsyncHookHandler } from 'fastify'
import fp from 'fastify-plugin'
import { matchesSecret } from '../credentials/secrets.ts'
import { findStoredClient, type StoredClient } from '../db/accounts/clients.ts'
import type { Db } from '../db/schema.ts'
import { invalidClient, publicError } from '../errors.ts'
import { listAuthorizationHeaders } from './bearer-auth.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Requires the secret of a client. */
    productClientAuth: preValidationAsyncHookHandler
    /** Also accepts a public client, which sends its `client_id` in the body. */
    productClientIdentity: preValidationAsyncHookHandler
  }
  interface FastifyRequest {
    /** The authenticated client; null before authentication. */
    productClient: StoredClient | null
  }
}

/**
 * Provides hooks that authenticate an OAuth client by HTTP Basic, RFC 6749 §2.3.1. Every failure is the same
 * `invalid_client` with a Basic challenge.
 */
export const clientAuth = fp(
  async app => {
    const authenticate =
      ({ mayBePublic }: { mayBePublic: boolean }): preValidationAsyncHookHandler =>
      async (request, reply) => {
        try {
          const client = mayBePublic ? await findPublicClient(app.productStore, request) : undefined
          request.productClient = client ?? (await checkSecret(app.productStore, request))
        } catch (error) {
          const refusal = publicError(error)
          // If the database is unavailable, the credentials may be valid, so there is no challenge.
          if (refusal.code === 'invalid_client')
            reply.header('WWW-Authenticate', 'Basic realm="product-templates", charset="UTF-8"')
          throw refusal
        }
      }
    if (!app.hasRequestDecorator('productClient')) app.decorateRequest('productClient', null)
    app.decorate('productClientAuth', authenticate({ mayBePublic: false }))
    app.decorate('productClientIdentity', authenticate({ mayBePublic: true }))
  },
  { name: 'product-client-auth', fastify: '5.x', dependencies: ['product-store'] }
)

/** Finds the public client whose `client_id` is in a request without any secret, RFC 6749 §3.2.1. */
async function findPublicClient(
  db: Db,
  { headers, body }: FastifyRequest
): Promise<StoredClient | undefined> {
  const { client_id: id, client_secret: secret } = (body ?? {}) as Record<string, string | undefined>
  if (headers.authorization !== undefined || secret || id === undefined) return undefined
  const client = await findStoredClient(db, id)
  return client?.isPublic && !client.disabled ? client : undefined
}

/** Reads the credentials of HTTP Basic, RFC 7617 §2. */
function readCredentials(request: FastifyRequest): { id: string; secret: string } {
  const [header = '', ...more] = listAuthorizationHeaders(request)
  const [, encoded] = /^basic ([\w.~+/-]+=*)$/i.exec(header) ?? []
  // Two headers could be two identities.
  if (encoded === undefined || more.length > 0)
    throw invalidClient('missing or malformed Authorization header')
  const [, id = '', secret = ''] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded, 'base64').toString()) ?? []
  const credentials = { id: decodeCredential(id), secret: decodeCredential(secret) }
  if (!credentials.id || !credentials.secret) throw invalidClient('malformed credentials', 'malformed')
  return credentials
}

async function checkSecret(db: Db, request: FastifyRequest): Promise<StoredClient> {
  const { id, secret } = readCredentials(request)
  const client = await findStoredClient(db, id)
  const matches = matchesSecret(secret, client?.secretHash, client?.previousSecretHash)
  if (!client) throw invalidClient('unknown client', 'unknown_client')
  if (!matches) throw invalidClient(`wrong secret of client ${client.id}`, 'wrong_secret')
  if (client.disabled) throw invalidClient(`client ${client.id} is disabled`, 'disabled')
  return client
}

/**
 * Decodes a form-encoded credential, RFC 6749 §2.3.1 and appendix B. Empty if it is malformed, has control characters
 * or was not UTF-8; bytes that are not UTF-8 are U+FFFD here.
 */
function decodeCredential(text: string): string {
  const decoded = decodeFormValue(text) ?? ''
  return /[\p{Cc}\uFFFD]/u.test(decoded) ? '' : decoded
}

/** Decodes a form value. Undefined for a malformed escape, bytes that are not UTF-8, and NUL. */
export function decodeFormValue(text: string): string | undefined {
  try {
    const decoded = decodeURIComponent(text.replaceAll('+', ' '))
    // Unescaped bytes that are not UTF-8 were replaced by U+FFFD when the body was read.
    return decoded.includes('\0') || text.includes('\uFFFD') ? undefined : decoded
  } catch {
    return undefined
  }
}
