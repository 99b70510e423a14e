import type { Profile } from '../../accounts/users.ts'
import type { Call, CommandOption } from '../terminal/command.ts'

/** The options for the profile of a user. */
export const profileOptions: Record<string, CommandOption> = {
  'first-name': {
    type: 'string',
    value: 'name',
    help: 'first name, returned with tokens like the rest of the profile'
  },
  'last-name': { type: 'string', value: 'name', help: 'last name' },
  country: { type: 'string', value: 'name', help: 'country' },
  mobile: { type: 'string', value: 'number', help: 'mobile number' },
  wallet: { type: 'string', multiple: true, value: 'address', help: 'wallet address; may be repeated' }
}

/** Reads the fields of the profile that were given. */
export function readProfile(values: Call['values']): Profile {
  const fields = {
    firstName: values['first-name'],
    lastName: values['last-name'],
    country: values.country,
    mobile: values.mobile,
    wallets: values.wallet
  }
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}
