import type { GrantType, Scope } from '../../../db/accounts/rights.ts'

/** The grants as administrators read them. */
export const grantLabels: Record<GrantType, string> = {
  authorization_code: 'Users log in at the login page (authorization code)',
  refresh_token: 'Users stay logged in (refresh token)',
  password: 'Users type their password into it (password)',
  client_credentials: 'It acts on its own behalf (client credentials)'
}

export const scopeLabels: Record<Scope, string> = {
  read: 'Read templates (read)',
  write: 'Change templates (write)',
  profile: 'The name and the profile of users (profile)',
  openid: 'Log users in with OpenID Connect (openid)',
  email: 'The e-mail address of users (email)',
  admin: 'Manage people and clients, if the user is an administrator (admin)'
}

const shortGrantLabels: Record<GrantType, string> = {
  authorization_code: 'login page',
  refresh_token: 'stays logged in',
  password: 'password',
  client_credentials: 'on its own behalf'
}

export const formatGrants = (grantTypes: string[]): string =>
  Object.entries(shortGrantLabels)
    .filter(([name]) => grantTypes.includes(name))
    .map(([, kind]) => kind)
    .join(', ')

/** Redirect URIs in a text field: one per line. */
export const formatLines = (uris: string[]): string => uris.join('\n')
export const parseLines = (text: string): string[] =>
  text
    .split('\n')
    .map(line => line.trim())
    .filter(Boolean)
