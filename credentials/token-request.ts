import { type Static, type TSchema, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { Value } from 'typebox/value'
import { ArgumentError } from '../errors.ts'

const text = () => Type.String({ minLength: 1, description: 'a non-empty string' })

/** Subject, client and scopes of a new token. */
const TokenRequest = Type.Object(
  {
    sub: text(),
    /** Id of a client in the database. */
    clientId: text(),
    /** Scope tokens, RFC 6749 §3.3. */
    scopes: Type.Array(Type.String({ pattern: '^[\\x21\\x23-\\x5B\\x5D-\\x7E]+$' }), {
      description: 'an array of scope tokens'
    }),
    /** Id of its family of refresh tokens. */
    sid: Type.Optional(text()),
    /** `tokenEpoch` of the user at authentication; a client has none. */
    epoch: Type.Optional(Type.Integer({ minimum: 0, description: 'an integer from 0' }))
  },
  { additionalProperties: false }
)
export type TokenRequest = Static<typeof TokenRequest>
const requestValidator = Compile(TokenRequest)

/** Throws an ArgumentError that names every wrong property. */
export function checkTokenRequest(request: TokenRequest): void {
  if (requestValidator.Check(request)) return
  const { properties } = TokenRequest as { properties: Record<string, TSchema & { description?: string }> }
  const given = Object(request) as Record<string, unknown>
  const wrong = Object.entries(properties)
    .filter(([name, type]) => !(Type.IsOptional(type) && given[name] === undefined))
    .filter(([name, type]) => !Value.Check(type, given[name]))
    .map(([name, { description }]) => `${name} must be ${description}`)
  const unknown = Object.keys(given)
    .filter(name => !Object.hasOwn(properties, name))
    .map(name => `${name} is not a property`)
  throw new ArgumentError(`productTokens.issue: ${[...unknown, ...wrong].join('; ')}`)
}
