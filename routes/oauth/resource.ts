import type { FastifyInstance } from 'fastify'
import type { Resource } from '../../db/accounts/resource.ts'
import { invalidTarget } from '../../errors.ts'
import type { ServiceSettings } from '../../options.ts'
import type { Form } from './protocol.ts'

/**
 * Reads the parameter `resource`, RFC 8707 §2; null if absent. Throws `invalid_target` unless it is the issuer, or an
 * endpoint that the service has.
 */
export function readResource(
  app: FastifyInstance,
  { resource }: Form,
  { mcp }: ServiceSettings
): Resource | null {
  // Without MCP there is one kind of token, and RFC 6749 §3.2 ignores unknown parameters.
  if (resource === undefined || !mcp) return null
  const known: Resource[] = ['', '/graphql', '/mcp']
  // Some clients add a slash to an issuer without a path.
  const given = resource.replace(/\/$/, '')
  const found = known.find(path => given === `${app.productTokens.issuer()}${path}`)
  if (found === undefined) throw invalidTarget()
  return found
}
