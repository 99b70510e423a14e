import type { ProcessSettings } from '../../options/index.ts'
import { StartError } from '../../runtime/host-errors.ts'
import { type Doctor, ok, problem, warning } from '../../terminal/finding.ts'
import type { IssuerSettings } from './index.ts'
import { readTrustedIssuers } from './issuers.ts'
import { readKeys } from './keys.ts'

/** Checks whether this machine can read the keys of the trusted issuers. */
async function checkIssuers({ trustedIssuers, issuer: own }: ProcessSettings & IssuerSettings) {
  try {
    const issuers = await readTrustedIssuers(trustedIssuers, own)
    const { createLocalJWKSet } = await import('jose')
    return await Promise.all(
      issuers.map(async ({ issuer, jwks_uri: jwksUri }) => {
        try {
          const set = JSON.parse(await readKeys({ issuer, jwksUri }))
          // Throws if the value is not a JWK set.
          createLocalJWKSet(set)
          return ok('issuers', `${issuer}: ${set.keys.length} keys`)
        } catch (error) {
          const { message, cause } = error as Error & { cause?: { code?: string } }
          const fix = 'check jwks_uri and the network: until its keys can be read, its tokens get 503'
          return warning('issuers', `${issuer}: ${message}${cause?.code ? ` (${cause.code})` : ''}`, fix)
        }
      })
    )
  } catch (error) {
    if (!(error instanceof StartError)) throw error
    return [problem('issuers', error.message, 'see docs/company.md')]
  }
}

export const doctor: Doctor = { checkSettings: checkIssuers }
