import basicAuth from '@fastify/basic-auth'
import type { FastifyInstance, FastifyRequest, preValidationHookHandler } from 'fastify'
import fp from 'fastify-plugin'
import { matchesSecret } from '../credentials/secret.ts'
import { type Client, findClient } from '../db/accounts/clients.ts'
import { invalidClient, PublicError } from '../errors.ts'
import { authorizationHeaders } from './authorization-header.ts'
import { publicError } from './error-handler.ts'
import { type Form, formDecode } from './form-body.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Requires the secret of a client. */
    productClientAuth: preValidationHookHandler
    /** Also accepts a public client, which sends its `client_id` in the body. */
    productClientIdentity: preValidationHookHandler
  }
  interface FastifyRequest {
    /** The authenticated client; null before authentication. */
    productClient: Client | null
  }
}

/**
 * Provides a hook that authenticates an OAuth client by HTTP Basic, RFC 6749 §2.3.1. Every failure is the same
 * `invalid_client` with a Basic challenge.
 */
export const clientAuth = fp(
  async app => {
    const authenticate = await registerBasicAuth(app)
    if (!app.hasRequestDecorator('productClient')) app.decorateRequest('productClient', null)
    const requireSecret: preValidationHookHandler = (request, reply, done) => {
      // Two headers are two identities. Node would keep only the first.
      if (authorizationHeaders(request).length > 1) request.headers.authorization = ''
      authenticate.call(app, request, reply, error => {
        done(error && !(error instanceof PublicError) ? invalidClient(error.message) : error)
      })
    }
    app.decorate('productClientAuth', requireSecret)
    app.decorate('productClientIdentity', function (request, reply, done) {
      const id = publicClientId(request)
      if (id === undefined) return requireSecret.call(this, request, reply, done)
      findPublicClient(app, id).then(
        client => {
          if (!client) return requireSecret.call(this, request, reply, done)
          request.productClient = client
          done()
        },
        error => done(publicError(error))
      )
    })
  },
  { name: 'product-client-auth', fastify: '5.x', dependencies: ['product-store'] }
)

/** Registers @fastify/basic-auth in its own scope, since the host may use it too. */
async function registerBasicAuth(app: FastifyInstance): Promise<FastifyInstance['basicAuth']> {
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

/** The `client_id` of a request without any secret, RFC 6749 §3.2.1. */
function publicClientId({ headers, body }: FastifyRequest): string | undefined {
  const { client_id: id, client_secret: secret } = (body ?? {}) as Partial<Form>
  return headers.authorization === undefined && !secret ? id : undefined
}

async function findPublicClient(app: FastifyInstance, id: string): Promise<Client | undefined> {
  const client = await findClient(app.productStore, id)
  return client?.isPublic && !client.disabled ? client : undefined
}

async function authenticateClient(app: FastifyInstance, request: FastifyRequest, id: string, secret: string) {
  const clientId = decodeCredential(id)
  const clientSecret = decodeCredential(secret)
  if (!clientId || !clientSecret) throw invalidClient('malformed credentials')
  // The library would turn an error without a status into a 401.
  const client = await findClient(app.productStore, clientId).catch(error => {
    throw publicError(error)
  })
  const matches = matchesSecret(clientSecret, client?.secretHash, client?.previousSecretHash)
  if (!client) throw invalidClient('unknown client')
  if (!matches) throw invalidClient(`wrong secret of client ${client.id}`)
  if (client.disabled) throw invalidClient(`client ${client.id} is disabled`)
  request.productClient = client
}

/**
 * Decodes a form-encoded credential, RFC 6749 §2.3.1 and appendix B. Undefined if it is malformed, has control
 * characters or was not UTF-8; such bytes are U+FFFD by now.
 */
function decodeCredential(text: string): string | undefined {
  const decoded = formDecode(text)
  return decoded === undefined || /[\p{Cc}\uFFFD]/u.test(decoded) ? undefined : decoded
}
