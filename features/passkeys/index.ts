import { boolean } from '../../options/setting.ts'
import type { Feature } from '../feature.ts'

const settings = {
  passkeys: boolean(false).describe(
    'whether users can log in with passkeys (WebAuthn), on the login page; needs ISSUER and the package `@simplewebauthn/server`, see docs/company.md'
  )
}

const auditActions = {
  'user.add_passkey': { label: 'added a passkey', verb: 'added a passkey to', own: 'added a passkey' },
  'user.delete_passkey': {
    label: 'deleted a passkey',
    verb: 'deleted a passkey of',
    own: 'deleted a passkey'
  }
}

export type PasskeyAction = keyof typeof auditActions

/** Passkeys, by which users log in without a password. */
export const passkeys: Feature<typeof settings> = {
  settings,
  isOn: ({ passkeys }) => passkeys,
  tables: { product_passkey: { key: ['id'] }, product_passkey_challenge: { key: ['hash'], expires: true } },
  migrations: { 'passkeys/0001-initial': () => import('./migration.ts') },
  auditActions,
  commands: { 'user passkeys': () => import('./command.ts') },
  server: () => import('./server.ts')
}
