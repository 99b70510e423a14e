import type { ServiceSettings } from '../../options/index.ts'
import type { FeatureServer } from '../feature.ts'
import type { IssuerSettings } from './index.ts'
import { readTrustedIssuers } from './issuers.ts'
import { createTrustedVerifiers } from './tokens.ts'

export const server: FeatureServer = {
  async makeVerifiers({ trustedIssuers, issuer: own }: ServiceSettings & IssuerSettings, log) {
    return createTrustedVerifiers(await readTrustedIssuers(trustedIssuers, own), (issuer, err) =>
      log.warn({ issuer, err }, 'the keys of an issuer cannot be read: the known keys stay in use')
    )
  }
}
