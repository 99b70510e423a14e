import { readTrustedIssuers } from '../../credentials/trusted/issuers.ts'
import { readKeys } from '../../credentials/trusted/keys.ts'
import { StartError } from '../../errors.ts'
import type { ProcessSettings } from '../../options.ts'
import { type Finding, ok, problem, warning } from './finding.ts'

/** Checks whether the keys of the trusted issuers can be read from here. */
export async function checkIssuers({ trustedIssuers, issuer: own }: ProcessSettings): Promise<Finding[]> {
  try {
    const issuers = await readTrustedIssuers(trustedIssuers, own)
    const { createLocalJWKSet } = await import('jose')
    return await Promise.all(
      issuers.map(async ({ issuer, jwks_uri: jwksUri }) => {
        try {
          const set = JSON.parse(await readKeys({ issuer, jwksUri }))
          // Throws if it is no JWK set.
          createLocalJWKSet(set)
          return ok('issuers', `${issuer}: ${set.keys.length} keys`)
        } catch (error) {
          const { message, cause } = error as Error & { cause?: { code?: string } }
          const mend = 'until its keys can be read, its tokens get 503'
          return warning('issuers', `${issuer}: ${message}${cause?.code ? ` (${cause.code})` : ''}`, mend)
        }
      })
    )
  } catch (error) {
    if (!(error instanceof StartError)) throw error
    return [problem('issuers', error.message, 'see docs/company.md')]
  }
}
