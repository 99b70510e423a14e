import { array, oneOf, sized, string } from 'decoders'
import { maxEmailLength } from '../db/accounts/users.ts'
import { readRule } from '../db/templates/rule.ts'
import { roles } from '../domain/rights.ts'
import { unprintable } from '../domain/text.ts'
import {
  anyObject,
  checkArgument,
  limited,
  matches,
  nullish,
  optional,
  type Shaped
} from '../runtime/validator.ts'

const maxTextLength = 1000
const maxWallets = 100
const line = limited(matches(new RegExp(`^[^${unprintable}]*$`, 'u')), maxTextLength)
const text = (what: string) =>
  optional(line).describe(`${what} of at most ${maxTextLength} characters without control characters`)

/** The profile of a user, all optional. A new role applies to existing tokens, too. */
export const Profile = {
  firstName: text('a name'),
  lastName: text('a name'),
  country: text('a name'),
  mobile: text('a number'),
  wallets: optional(sized(array(line), { max: maxWallets })).describe(
    `a list of at most ${maxWallets} addresses`
  ),
  /** The role; `publisher` by default. */
  role: optional(oneOf(roles)).describe(`one of ${roles.join(', ')}`),
  /** The templates that the user may see and write, as a `where` of the API. null and undefined mean all templates. */
  where: nullish(anyObject).describe('a filter, as in the API, or null')
}
export type Profile = Shaped<typeof Profile>

/** The pattern of an e-mail address. */
export const emailPattern = `^[^\\s@${unprintable}]+@[^\\s@${unprintable}]+$`

/** A user to invite, who will choose the password. */
export const InvitedUser = {
  email: limited(matches(new RegExp(emailPattern, 'u')), maxEmailLength).describe(
    `an e-mail address of at most ${maxEmailLength} characters`
  ),
  ...Profile
}
export type InvitedUser = Shaped<typeof InvitedUser>

/** A user to add. */
export const NewUser = { ...InvitedUser, password: string.describe('a string') }
export type NewUser = Shaped<typeof NewUser>

/** Checks and returns the values of a user. Throws ArgumentError. */
export function checkUser<S extends typeof Profile | typeof InvitedUser | typeof NewUser>(
  shape: S,
  input: Shaped<S>
): Shaped<S> {
  const user = checkArgument('user', shape, input)
  if (user.where) readRule(user.where)
  return user
}
