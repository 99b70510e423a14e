import { createLinkToken, toPasswordLink } from '../../accounts/passwords.ts'
import type { InvitedUser, Profile } from '../../accounts/user-input.ts'
import * as accounts from '../../accounts/users.ts'
import { findUserById, maxEmailLength, type StoredUser } from '../../db/accounts/users.ts'
import { decodeCursor, encodeCursor } from '../../db/cursors.ts'
import type { Db, Transaction } from '../../db/schema.ts'
import { transact } from '../../db/transaction.ts'
import { badInput } from '../../graphql/errors.ts'
import { pageOf, readPage } from '../../graphql/relay.ts'
import {
  adminMutation,
  adminQuery,
  emptyFilterToNull,
  type Update
} from '../../graphql/resolvers/admin-fields.ts'
import type { ServiceSettings } from '../../options/index.ts'
import { hasMoreCharacters } from '../../runtime/characters.ts'
import { ArgumentError, accountMissing } from '../../runtime/host-errors.ts'
import { findActivity, findUserPage, type UserFilter } from './user-pages.ts'

/** The number of users of a page. */
const pageSize = { default: 50, max: 100 }

export const userQueries = {
  users: adminQuery(
    { items: pageOf(pageSize) },
    async (args: UserFilter & { first?: number; after?: string }, context) => {
      const { first, after, ...filter } = args
      if (hasMoreCharacters(filter.search ?? '', maxEmailLength))
        throw badInput(`search has more than ${maxEmailLength} characters`)
      const { reader, settings } = context
      return readPage(args, {
        size: pageSize,
        fromCursor: cursor => decodeCursor(cursor, /^user:([^\0]*)$/),
        read: (limit, place) => findUserPage(reader.primary, filter, limit, place),
        toCursor: ({ email }) => encodeCursor(`user:${email}`),
        toNodes: listed => addActivity(reader.primary, listed, settings)
      })
    }
  ),

  user: adminQuery({}, ({ id }: { id: string }, { reader, settings }) =>
    readUser(reader.primary, id, settings)
  )
}

/** Adds the activity of users to their profiles, without passwords. */
async function addActivity(db: Db, users: StoredUser[], settings: ServiceSettings) {
  const activity = await findActivity(db, users, settings)
  const { accountLimit } = settings
  return users.map((user, index) => {
    const { timeFailuresEnd, ...logins } = activity[index] as (typeof activity)[number]
    const isLocked = accountLimit > 0 && logins.failedLogins >= accountLimit
    const lockedUntil = isLocked ? timeFailuresEnd : null
    const where = user.where && JSON.stringify(user.where)
    return { ...accounts.omitSecrets(user), where, ...logins, lockedUntil }
  })
}

export const userMutations = {
  inviteUser: adminMutation(
    async ({ input }: { input: InvitedUser }, { caller, writeDb, settings, input: { issuer } }) => {
      requirePasswords(settings)
      const { user, token } = await accounts.inviteUser(writeDb, emptyFilterToNull(input), settings, caller)
      return { user: await readUser(writeDb, user.id, settings), link: toPasswordLink(issuer(), token) }
    }
  ),

  resetPassword: adminMutation(async ({ id }: { id: string }, { caller, writeDb, settings, input }) => {
    requirePasswords(settings)
    const token = await changeUserById(writeDb, id, (transaction, user) =>
      createLinkToken(transaction, user, caller)
    )
    return { user: await readUser(writeDb, id, settings), link: toPasswordLink(input.issuer(), token) }
  }),

  updateUser: adminMutation(async ({ id, input }: Update<Profile>, { caller, writeDb, settings }) => {
    const { disabled, ...profile } = emptyFilterToNull(input)
    await changeUserById(writeDb, id, async (transaction, user) => {
      if (Object.keys(profile).length > 0) await accounts.updateUser(transaction, user.email, profile, caller)
      if ((disabled ?? user.disabled) === user.disabled) return
      await (disabled ? accounts.disableUser : accounts.enableUser)(transaction, user.email, caller)
    })
    return { user: await readUser(writeDb, id, settings) }
  }),

  endSessions: adminMutation(async ({ id }: { id: string }, { caller, writeDb, settings }) => {
    await changeUserById(writeDb, id, (transaction, { email }) =>
      accounts.endSessions(transaction, email, caller)
    )
    return { user: await readUser(writeDb, id, settings) }
  }),

  deleteUser: adminMutation(async ({ id }: { id: string }, { caller, writeDb }) => {
    await changeUserById(writeDb, id, (transaction, { email }) =>
      accounts.deleteUser(transaction, email, caller)
    )
    return { deletedId: id }
  })
}

/** Throws ArgumentError if logins by password are off, because a link would be of no use. */
function requirePasswords({ passwordLogin }: ServiceSettings): void {
  if (!passwordLogin) throw new ArgumentError('PASSWORD_LOGIN is false, so a link cannot set a password')
}

/** Finds a user by id and changes it in one transaction. The functions of accounts identify users by e-mail address. */
const changeUserById = <T>(
  db: Db,
  id: string,
  job: (transaction: Transaction, user: StoredUser) => Promise<T>
): Promise<T> =>
  transact(db, async transaction => {
    const user = await findUserById(transaction, id)
    if (!user) throw accountMissing(`user ${id}`)
    return job(transaction, user)
  })

async function readUser(db: Db, id: string, settings: ServiceSettings) {
  const user = await findUserById(db, id)
  return user && (await addActivity(db, [user], settings))[0]
}
