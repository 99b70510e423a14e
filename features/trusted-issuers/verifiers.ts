import type { FastifyBaseLogger } from 'fastify'
import type { VerifyTrusted } from '../../accounts/credentials/access-token.ts'
import type { ServiceSettings } from '../../options/index.ts'
import type { IssuerSettings } from './index.ts'
import { readTrustedIssuers } from './issuers.ts'
import { createTrustedVerifiers } from './tokens.ts'

export async function makeVerifiers(
  { trustedIssuers, issuer: own }: ServiceSettings & IssuerSettings,
  log: FastifyBaseLogger
): Promise<Map<unknown, VerifyTrusted>> {
  return createTrustedVerifiers(await readTrustedIssuers(trustedIssuers, own), (issuer, err) =>
    log.warn({ issuer, err }, 'the keys of an issuer cannot be read: the known keys stay in use')
  )
}
