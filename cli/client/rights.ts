import type { ClientRights } from '../../accounts/clients.ts'
import { grantTypes, scopes } from '../../accounts/rights.ts'
import type { Call, CommandOption } from '../terminal/command.ts'

/** The options for what a client may do. */
export const rightOptions: Record<'grant' | 'scope' | 'redirect-uri' | 'name', CommandOption> = {
  grant: {
    type: 'string',
    multiple: true,
    value: 'type',
    choices: grantTypes,
    help: 'grant type; may be repeated'
  },
  scope: { type: 'string', multiple: true, value: 'scope', choices: scopes, help: 'scope; may be repeated' },
  'redirect-uri': {
    type: 'string',
    multiple: true,
    value: 'uri',
    help: 'where users come back to from the login page; may be repeated'
  },
  name: { type: 'string', value: 'text', help: 'shown to users instead of the id' }
}

/** Reads the rights that were given. */
export function readRights(values: Call['values']): ClientRights {
  const rights = {
    grantTypes: values.grant,
    scopes: values.scope,
    redirectUris: values['redirect-uri'],
    displayName: values.name,
    mayIntrospect: readBoolean(values.introspect),
    firstParty: readBoolean(values['first-party'])
  }
  return Object.fromEntries(Object.entries(rights).filter(([, value]) => value !== undefined))
}

/** Reads an option that `client add` has as a flag and `client set` as a text. */
const readBoolean = (value: Call['values'][string]): boolean | undefined =>
  value === undefined ? undefined : String(value) === 'true'
