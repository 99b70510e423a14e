import { json, type Values } from '../../options/setting.ts'
import type { Feature } from '../feature.ts'

const settings = {
  loginProviders: json('array').describe(
    'OpenID providers on the login page: JSON or the path of a JSON file; see docs/company.md; needs the package `openid-client`',
    { secret: true }
  )
}

export type ProviderSettings = Values<typeof settings>

const auditActions = {
  'user.link_identity': { label: 'linked a provider', verb: 'linked a login provider to' },
  'user.unlink_identity': { label: 'unlinked a provider', verb: 'unlinked a login provider from' }
}

export type ProviderAction = keyof typeof auditActions

/** OpenID providers, such as Google, at which users log in. */
export const providers: Feature<typeof settings> = {
  settings,
  tables: {
    product_identity: { key: ['issuer', 'subject'] },
    product_provider_login: { key: ['hash'], expires: true }
  },
  migrations: { 'providers/0001-initial': () => import('./migration.ts') },
  auditActions,
  commands: { 'user identities': () => import('./command.ts') },
  schema: () => import('./resolvers.ts'),
  server: () => import('./server.ts')
}
