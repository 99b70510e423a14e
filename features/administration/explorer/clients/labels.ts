import { type GrantType, grantTypes, publicGrantTypes, type Scope } from '../../../../domain/rights.ts'

/** The grant types as the page lists them: first those that every client may have. */
const shownGrants = [...new Set([...publicGrantTypes, ...grantTypes])] as GrantType[]

/** The texts of the grant types: in the form of a client, and in a list. */
const grantLabels: Record<GrantType, { label: string; shortLabel: string }> = {
  password: { label: 'Users type their password into the client (password)', shortLabel: 'password' },
  client_credentials: {
    label: 'The client acts on its own behalf (client credentials)',
    shortLabel: 'on its own behalf'
  },
  refresh_token: { label: 'Users stay logged in (refresh token)', shortLabel: 'stays logged in' },
  authorization_code: {
    label: 'Users log in at the login page (authorization code)',
    shortLabel: 'login page'
  }
}

/** The grants that a client may have, with their labels. */
export const listGrants = (isPublic: boolean): [name: string, label: string][] =>
  shownGrants
    .filter(name => !isPublic || publicGrantTypes.includes(name))
    .map(name => [name, grantLabels[name].label])

export const formatGrants = (grantTypes: string[]): string =>
  shownGrants
    .filter(name => grantTypes.includes(name))
    .map(name => grantLabels[name].shortLabel)
    .join(', ')

export const scopeLabels: Record<Scope, string> = {
  read: 'Read templates (read)',
  write: 'Change templates (write)',
  profile: 'The name and the profile of users (profile)',
  openid: 'Log users in with OpenID Connect (openid)',
  email: 'The e-mail address of users (email)',
  admin: 'Manage people and clients, if the user is an administrator (admin)'
}

/** The id of the explorer's own client. Breaking it makes the explorer unusable. */
export const ownClient = 'explorer'
export const ownClientWarning =
  'The explorer itself is this client. You and all others may lose access to it.'
