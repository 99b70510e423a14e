import type { ClientRights } from '../../accounts/clients.ts'
import { grantTypes, scopes } from '../../accounts/rights.ts'
import type { Call, CommandOption } from '../terminal/command.ts'

/** The options for what a client may do. */
export const rightOptions: Record<'grant' | 'scope', CommandOption> = {
  grant: {
    type: 'string',
    multiple: true,
    value: 'type',
    choices: grantTypes,
    help: 'grant type; may be repeated'
  },
  scope: { type: 'string', multiple: true, value: 'scope', choices: scopes, help: 'scope; may be repeated' }
}

/** Reads the grant types and scopes that were given. */
export function readRights({ grant, scope }: Call['values']): ClientRights {
  return {
    ...(grant !== undefined && { grantTypes: grant as (typeof grantTypes)[number][] }),
    ...(scope !== undefined && { scopes: scope as (typeof scopes)[number][] })
  }
}
