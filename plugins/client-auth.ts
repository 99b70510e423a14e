import basicAuth from '@fastify/basic-auth'
import type { FastifyInstance, FastifyRequest, preValidationHookHandler } from 'fastify'
import fp from 'fastify-plugin'
import { matchesClientSecret } from '../credentials/client-secret.ts'
import { type Client, findClient } from '../db/accounts/clients.ts'
import { invalidClient, PublicError } from '../errors.ts'
import { authorizationHeaders } from './authorization-header.ts'
import { publicError } from './error-handler.ts'
import { formDecode } from './form-body.ts'

declare module 'fastify' {
  interface FastifyInstance {
    productClientAuth: preValidationHookHandler
  }
  interface FastifyRequest {
    /** The client that authenticated; null before. */
    productClient: Client | null
  }
}

/**
 * Authenticates an OAuth client by HTTP Basic, RFC 6749 §2.3.1: a hook for the routes that need it.
 * Whatever is wrong, the answer is one and the same `invalid_client` with a Basic challenge.
 */
export const clientAuth = fp(
  async app => {
    const authenticate = await basicAuthentication(app)
    if (!app.hasRequestDecorator('productClient')) app.decorateRequest('productClient', null)
    app.decorate('productClientAuth', (request, reply, done) => {
      // Two headers are two identities: Node would keep the first.
      if (authorizationHeaders(request).length > 1) request.headers.authorization = ''
      authenticate.call(app, request, reply, error => {
        done(error && !(error instanceof PublicError) ? invalidClient(error.message) : error)
      })
    })
  },
  { name: 'product-client-auth', fastify: '5.x', dependencies: ['product-store'] }
)

/** @fastify/basic-auth in a scope of its own: a host may have it too. */
async function basicAuthentication(app: FastifyInstance): Promise<FastifyInstance['basicAuth']> {
  let authenticate: FastifyInstance['basicAuth'] | undefined
  await app.register(async scope => {
    await scope.register(basicAuth, {
      authenticate: { realm: 'product-templates' },
      validate: (id, secret, request) => authenticateClient(app, request, id, secret)
    })
    authenticate = scope.basicAuth
  })
  return authenticate as FastifyInstance['basicAuth']
}

async function authenticateClient(app: FastifyInstance, request: FastifyRequest, id: string, secret: string) {
  const clientId = credential(id)
  const clientSecret = credential(secret)
  if (!clientId || !clientSecret) throw invalidClient('malformed credentials')
  // The library would turn an error without a status into a 401.
  const client = await findClient(app.productStore, clientId).catch(error => {
    throw publicError(error)
  })
  const matches = matchesClientSecret(clientSecret, client?.secretHash)
  if (!client) throw invalidClient('unknown client')
  if (!matches) throw invalidClient(`wrong secret of client ${client.id}`)
  if (client.disabled) throw invalidClient(`client ${client.id} is disabled`)
  request.productClient = client
}

/**
 * Credentials are form-encoded before they are Basic-encoded, RFC 6749 §2.3.1 and appendix B, and hold no
 * control characters. What was no UTF-8 holds U+FFFD by now.
 */
function credential(text: string): string | undefined {
  const decoded = formDecode(text)
  return decoded === undefined || /[\p{Cc}\uFFFD]/u.test(decoded) ? undefined : decoded
}
