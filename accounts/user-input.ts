import { type Static, Type } from 'typebox'
import { roles } from '../db/accounts/roles.ts'
import { longestEmail } from '../db/accounts/users.ts'
import { readRule } from '../db/templates/rules/rule.ts'
import { unprintable } from '../db/text.ts'
import { checkArgument } from '../validator.ts'

const maxLength = 1000
const pattern = `^[^${unprintable}]*$`
const text = (what: string) => {
  const description = `${what} of at most ${maxLength} characters without control characters`
  return Type.Optional(Type.String({ maxLength, pattern, description }))
}

const profile = {
  firstName: text('a name'),
  lastName: text('a name'),
  country: text('a name'),
  mobile: text('a number'),
  wallets: Type.Optional(
    Type.Array(Type.String({ maxLength, pattern }), { description: 'a list of addresses' })
  ),
  /** What the user may do; `publisher` by default. */
  role: Type.Optional(Type.Enum([...roles], { description: `one of ${roles.join(', ')}` })),
  /** The templates that the user may see and write, a `where` as in the API; null, and the default: all. */
  where: Type.Optional(
    Type.Union([Type.Object({}), Type.Null()], { description: 'a filter, as in the API, or null' })
  )
}

/** The fields of a user to change. Tokens have the rights of a new role at once. */
export const Profile = Type.Object(profile, { additionalProperties: false })
export type Profile = Static<typeof Profile>

/** The form of an e-mail address. */
export const emailPattern = `^[^\\s@${unprintable}]+@[^\\s@${unprintable}]+$`

/** A user to invite, who chooses the password. */
const InvitedUser = Type.Object(
  {
    email: Type.String({
      pattern: emailPattern,
      maxLength: longestEmail,
      description: `an e-mail address of at most ${longestEmail} characters`
    }),
    ...profile
  },
  { additionalProperties: false }
)
export type InvitedUser = Static<typeof InvitedUser>

/** A user to add. */
export const NewUser = Type.Object(
  { ...InvitedUser.properties, password: Type.String({ description: 'a string' }) },
  { additionalProperties: false }
)
export type NewUser = Static<typeof NewUser>

/** Throws ArgumentError if a new user has wrong values. */
export function checkUser(given: InvitedUser): InvitedUser {
  const user = checkArgument('user', InvitedUser, given)
  checkRule(user)
  return user
}

export function checkRule({ where }: Profile): void {
  if (where) readRule(where, 'user: where')
}
