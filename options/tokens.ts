import { Type } from './types.ts'

/** Settings of tokens and signing keys. */
export const tokenSettings = {
  issuer: Type.Optional(
    Type.String({
      env: 'ISSUER',
      pattern: '^https?://[^/?#\\s]+(/[^?#\\s]*[^/?#\\s])?$',
      expected: 'an http(s) URL without query, fragment or trailing slash',
      description: '`iss` of the tokens; defaults to the address the service listens on'
    })
  ),
  accessTokenTtl: Type.Integer({
    env: 'ACCESS_TOKEN_TTL',
    default: 86_400,
    minimum: 1,
    maximum: 31_536_000,
    description: 'access token lifetime in seconds'
  }),
  refreshTokenTtl: Type.Integer({
    env: 'REFRESH_TOKEN_TTL',
    default: 2_592_000,
    minimum: 1,
    maximum: 31_536_000,
    description: 'login lifetime in seconds; refreshing does not extend it'
  }),
  refreshTokenGrace: Type.Integer({
    env: 'REFRESH_TOKEN_GRACE',
    default: 5,
    minimum: 0,
    maximum: 60,
    description:
      'grace period in seconds in which reusing a refresh token is refused without revoking the login'
  }),
  signingAlgorithm: Type.Enum(['ES256', 'RS256', 'EdDSA'], {
    env: 'SIGNING_ALGORITHM',
    default: 'ES256',
    description: 'algorithm of new signing keys'
  }),
  signingKeyMaxAge: Type.Integer({
    env: 'SIGNING_KEY_MAX_AGE',
    default: 0,
    minimum: 0,
    maximum: 315_360_000,
    description: 'age in seconds at which the signing key is rotated automatically; 0 for never'
  }),
  signingKeysFile: Type.Optional(
    Type.String({
      env: 'SIGNING_KEYS_FILE',
      minLength: 1,
      expected: 'a path',
      description:
        'file with a private JWK set, used instead of the keys in the database; the first key signs'
    })
  ),
  keyEncryptionSecret: Type.Optional(
    Type.String({
      env: 'KEY_ENCRYPTION_SECRET',
      secret: true,
      minLength: 16,
      expected: 'a string of at least 16 characters',
      description: 'secret that encrypts the private keys in the database'
    })
  ),
  keyEncryptionSecretOld: Type.Optional(
    Type.String({
      env: 'KEY_ENCRYPTION_SECRET_OLD',
      secret: true,
      minLength: 16,
      expected: 'a string of at least 16 characters',
      description: 'former secret, which only decrypts, until `product-templates keys reencrypt` has run'
    })
  )
}
