import { promisify } from 'node:util'
import basicAuth from '@fastify/basic-auth'
import type { FastifyInstance, FastifyRequest, preValidationAsyncHookHandler } from 'fastify'
import fp from 'fastify-plugin'
import { matchesSecret } from '../../accounts/credentials/secrets.ts'
import { findStoredClient, type StoredClient } from '../../db/accounts/clients.ts'
import { invalidClient, invalidRequest, PublicError } from '../../runtime/errors.ts'
import { decodeFormValue } from '../../runtime/form-value.ts'
import { toPublicError } from '../error-handler.ts'
import { listHeaders } from '../headers.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Requires the secret of a client. */
    productRequireClientSecret: preValidationAsyncHookHandler
    /** Requires a client: a public one sends its `client_id` in the body, any other one also its secret. */
    productRequireClient: preValidationAsyncHookHandler
  }
  interface FastifyRequest {
    /** The authenticated client; null before authentication. */
    productClient: StoredClient | null
  }
}

/** Authenticates OAuth clients by HTTP Basic, RFC 6749 §2.3.1. Every refusal is the same `invalid_client`. */
export const clientAuth = fp(
  async app => {
    const authenticate = await registerBasicAuth(app)
    if (!app.hasRequestDecorator('productClient')) app.decorateRequest('productClient', null)
    app.decorate('productRequireClientSecret', authenticate)
    app.decorate('productRequireClient', async function (request, reply) {
      const id = readPublicClientId(request)
      const client = id === undefined ? undefined : await lookUpClient(app, id)
      if (client?.isPublic && !client.disabled) request.productClient = client
      else await authenticate.call(this, request, reply)
    })
  },
  { name: 'product-client-auth', fastify: '5.x', dependencies: ['product-store'] }
)

/** Returns the client of an authenticated request. Throws TypeError if the endpoint does not authenticate clients. */
export function getClient(request: FastifyRequest): StoredClient {
  if (!request.productClient) throw new TypeError(`${request.routeOptions.url} does not require a client`)
  return request.productClient
}

const realm = 'product-templates'
/** The challenge that @fastify/basic-auth sends with this realm, RFC 7617 §2. */
export const clientChallenge = `Basic realm="${realm}", charset="UTF-8"`

/** Registers @fastify/basic-auth in its own scope, since the host may use it too. */
async function registerBasicAuth(app: FastifyInstance): Promise<preValidationAsyncHookHandler> {
  let scope = app
  await app.register(async ownScope => {
    await ownScope.register(basicAuth, {
      authenticate: { realm },
      validate: (id, secret, request) => authenticateClient(app, request, id, secret)
    })
    scope = ownScope
  })
  const authenticate = promisify(scope.basicAuth.bind(app))
  return async (request, reply) => {
    // Two headers could be two identities, and Node would keep only the first.
    if (listHeaders(request, 'authorization').length > 1) request.headers.authorization = ''
    await authenticate(request, reply).catch(error => {
      throw error instanceof PublicError ? error : invalidClient(error.message)
    })
  }
}

/** The `client_id` of a request without any secret, RFC 6749 §3.2.1. Throws `invalid_request` for a malformed body. */
function readPublicClientId({ headers, body }: FastifyRequest): string | undefined {
  if (headers.authorization !== undefined) return undefined
  // A malformed body was parsed to a text that describes the error. It names no client that could be refused.
  if (typeof body === 'string') throw invalidRequest(body)
  const { client_id: id, client_secret: secret } = (body ?? {}) as Record<string, string | undefined>
  return secret ? undefined : id
}

/** Finds a client. Errors become public, because the library would turn an error without a status into a 401. */
const lookUpClient = (app: FastifyInstance, id: string): Promise<StoredClient | undefined> =>
  findStoredClient(app.productStore, id).catch(error => {
    throw toPublicError(error)
  })

async function authenticateClient(app: FastifyInstance, request: FastifyRequest, id: string, secret: string) {
  const clientId = decodeCredential(id)
  const clientSecret = decodeCredential(secret)
  if (!clientId || !clientSecret) throw invalidClient('malformed credentials', 'malformed')
  const client = await lookUpClient(app, clientId)
  const matches = matchesSecret(clientSecret, client?.secretHash, client?.previousSecretHash)
  if (!client) throw invalidClient('unknown client', 'unknown_client')
  if (!matches) throw invalidClient(`wrong secret of client ${client.id}`, 'wrong_secret')
  if (client.disabled) throw invalidClient(`client ${client.id} is disabled`, 'disabled')
  request.productClient = client
}

/**
 * Decodes a form-encoded credential, RFC 6749 §2.3.1 and appendix B. Undefined if it is malformed, has control
 * characters or was not UTF-8; bytes that are not UTF-8 are U+FFFD here.
 */
function decodeCredential(text: string): string | undefined {
  const decoded = decodeFormValue(text)
  return decoded === undefined || /[\p{Cc}\uFFFD]/u.test(decoded) ? undefined : decoded
}
