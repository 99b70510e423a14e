import { sql } from 'kysely'
import { findFailedLogins } from '../../db/accounts/attempts.ts'
import { type SessionLifetime, unexpiredSessions } from '../../db/accounts/logins/sessions.ts'
import { addWallets, emailKey, type StoredUser } from '../../db/accounts/users.ts'
import type { Db } from '../../db/schema.ts'
import type { Role } from '../../domain/rights.ts'
import { timestamp } from '../../domain/timestamp.ts'

/** Conditions on users. A user must meet all conditions. */
export interface UserFilter {
  /** A part of the e-mail address or the name. Case is ignored; in names, only for the letters a to z. */
  search?: string | undefined
  role?: Role | undefined
  disabled?: boolean | undefined
}

/** Lists at most `limit` users after the e-mail address `after`, in the order of their addresses. */
export async function findUserPage(
  db: Db,
  { search, role, disabled }: UserFilter,
  limit: number,
  after = ''
): Promise<StoredUser[]> {
  const rows = await db
    .selectFrom('product_user')
    .selectAll()
    .where('email', '>', after)
    .orderBy('email')
    .limit(limit)
    .$if(role !== undefined, query => query.where('role', '=', role as Role))
    .$if(disabled !== undefined, query => query.where('time_disabled', disabled ? 'is not' : 'is', null))
    .$if(search !== undefined, query => {
      const [email, name] = [emailKey(search as string), lower(search as string)].map(containing)
      return query.where(
        sql<boolean>`(email like ${email} escape '!' or lower(first_name || ' ' || last_name) like ${name} escape '!')`
      )
    })
    .execute()
  const ids = rows.map(({ id }) => id)
  if (ids.length === 0) return []
  const wallets = db.selectFrom('product_user_wallet').selectAll().where('user_id', 'in', ids)
  return addWallets(rows, await wallets.orderBy('position').execute())
}

/** Folds letters as `lower` of both engines does. */
const lower = (text: string): string => text.replace(/[A-Z]/g, letter => letter.toLowerCase())

const containing = (text: string): string => `%${text.replace(/[!%_]/g, '!$&')}%`

/** Reads the sessions and logins of at most 100 users, in a few statements. */
export async function findActivity(db: Db, users: StoredUser[], lifetime: SessionLifetime) {
  const ids = users.map(({ id }) => id)
  if (ids.length === 0) return []
  const sessions = await countSessions(db, ids, lifetime)
  const events = await db
    .selectFrom('product_audit')
    .select(({ fn }) => ['target_id', 'action', fn.max('time_recorded').as('last')])
    .where('target_id', 'in', ids)
    .where('action', 'in', ['user.log_in', 'user.create_link', ...passwordActions])
    .groupBy(['target_id', 'action'])
    .execute()
  const links = await findLinks(db, ids)
  const failures = await findFailedLogins(
    db,
    users.map(({ email }) => email)
  )
  return users.map(({ id }, index) => {
    const isOfUser = (row: { user_id: string }) => row.user_id === id
    const own = events.filter(({ target_id }) => target_id === id)
    const lastLogin = own.find(({ action }) => action === 'user.log_in')?.last ?? null
    const hasPassword = own.some(({ action }) => passwordActions.includes(action))
    return {
      invited: lastLogin === null && !hasPassword && own.some(({ action }) => action === 'user.create_link'),
      linkExpires: links.find(isOfUser)?.expires ?? null,
      sessions: sessions.filter(isOfUser).reduce((sum, { count }) => sum + count, 0),
      lastLogin,
      failedLogins: failures[index]?.count ?? 0,
      timeFailuresEnd: failures[index]?.time_ends ?? null
    }
  })
}

/** Actions after which a user has a password that the user has chosen. */
const passwordActions = ['user.use_link', 'user.set_password', 'user.change_password']

/** Finds when the latest link that sets a password expires, for each user who has one that works. */
const findLinks = (db: Db, ids: string[]) =>
  db
    .selectFrom('product_password_link')
    .innerJoin('product_user', 'product_user.id', 'user_id')
    .whereRef('product_password_link.token_epoch', '=', 'product_user.token_epoch')
    .select(({ fn }) => ['user_id', fn.max('time_expires').as('expires')])
    .where('user_id', 'in', ids)
    .where('time_expires', '>', timestamp())
    .groupBy('user_id')
    .execute()

/** Counts the current sessions of users: browsers, and clients that keep a login. */
async function countSessions(db: Db, ids: string[], lifetime: SessionLifetime) {
  const browsers = await unexpiredSessions(db, lifetime)
    .innerJoin('product_user', 'product_user.id', 'user_id')
    .whereRef('product_session.token_epoch', '=', 'product_user.token_epoch')
    .select(({ fn }) => ['user_id', fn.countAll<number>().as('count')])
    .where('user_id', 'in', ids)
    .groupBy('user_id')
    .execute()
  const families = await db
    .selectFrom('product_token_family')
    .select(({ fn }) => ['user_id', fn.countAll<number>().as('count')])
    .where('user_id', 'in', ids)
    .where('time_revoked', 'is', null)
    .where('time_expires', '>', timestamp())
    .groupBy('user_id')
    .execute()
  return [...browsers, ...families]
}
