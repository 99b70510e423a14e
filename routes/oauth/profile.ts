import type { User } from '../../db/accounts/users.ts'

/** The user's profile in a token response. */
export const profileOf = (user: User) => ({
  id: user.id,
  first_name: user.firstName,
  last_name: user.lastName,
  country: user.country,
  mobile: user.mobile,
  wallets: user.wallets
})

/** The profile if the user has allowed it at the login page. */
export const allowedProfile = (user: User, scopes: string[]) =>
  scopes.includes('profile') ? profileOf(user) : {}
