import { json, type Values } from '../../options/setting.ts'
import type { Feature } from '../feature.ts'

const settings = {
  trustedIssuers: json('array').describe(
    'other issuers whose access tokens are accepted: JSON or the path of a JSON file; see docs/company.md'
  )
}

export type IssuerSettings = Values<typeof settings>

/** Access tokens of other issuers, such as the login service of a company. */
export const trustedIssuers: Feature<typeof settings> = {
  settings,
  isOn: ({ trustedIssuers }) => trustedIssuers !== undefined,
  doctor: () => import('./doctor.ts'),
  makeVerifiers: () => import('./tokens.ts')
}
