import { type Static, Type } from 'typebox'
import { checkArgument } from '../arguments-check.ts'

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
    epoch: Type.Optional(Type.Integer({ minimum: 0, description: 'an integer from 0' })),
    /** `tokenEpoch` of the client at authentication. */
    clientEpoch: Type.Optional(Type.Integer({ minimum: 0, description: 'an integer from 0' }))
  },
  { additionalProperties: false }
)
export type TokenRequest = Static<typeof TokenRequest>

/** Throws an ArgumentError that names every wrong property. */
export const checkTokenRequest = (request: TokenRequest): TokenRequest =>
  checkArgument('productTokens.issue', TokenRequest, request)
