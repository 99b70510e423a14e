import type { FastifyRequest } from 'fastify'
import { invalidRequest } from '../../errors.ts'
import { type Form, MalformedForm } from '../../plugins/form-body.ts'

/** Parameters that carry credentials. In a URL they would end up in logs, RFC 6749 §2.3.1. */
const credentials = [
  'client_secret',
  'username',
  'email',
  'password',
  'refresh_token',
  'token',
  'code',
  'code_verifier'
]

/**
 * Returns the parameters of an OAuth request; an empty one counts as absent, RFC 6749 §3.2. Throws `invalid_request`
 * for a malformed body, credentials in the URL and a second authentication method.
 */
export function oauthParameters({ body, query, productClient }: FastifyRequest): Form {
  if (credentials.some(name => name in (query as object)))
    throw invalidRequest('credentials are not allowed in the URL')
  if (body instanceof MalformedForm) throw invalidRequest(body.reason)
  const form: Form = Object.create(null)
  for (const [name, value] of Object.entries((body ?? {}) as Form)) if (value !== '') form[name] = value
  // One authentication method per request, RFC 6749 §2.3.
  if (form.client_secret)
    throw invalidRequest('client credentials are allowed in the header or the body, not in both')
  if (form.client_id && form.client_id !== productClient?.id)
    throw invalidRequest('client_id differs from the authenticated client')
  return form
}
