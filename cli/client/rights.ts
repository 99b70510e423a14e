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
export function readRights({
  grant,
  scope,
  'redirect-uri': redirectUris,
  name
}: Call['values']): ClientRights {
  return {
    ...(grant !== undefined && { grantTypes: grant as (typeof grantTypes)[number][] }),
    ...(scope !== undefined && { scopes: scope as (typeof scopes)[number][] }),
    ...(redirectUris !== undefined && { redirectUris: redirectUris as string[] }),
    ...(name !== undefined && { displayName: String(name) })
  }
}
