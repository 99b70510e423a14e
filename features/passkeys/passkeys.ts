/** The operations of users with passkeys: add, use and delete. */
import { hashSecret } from '../../accounts/credentials/secrets.ts'
import { limitFailures } from '../../accounts/login.ts'
import { requireUser } from '../../accounts/users.ts'
import { findUnchangedUser, findUserById, type StoredUser } from '../../db/accounts/users.ts'
import { type AuditActor, recordEvent } from '../../db/audit/record.ts'
import type { Db } from '../../db/schema.ts'
import { transact } from '../../db/transaction.ts'
import { unprintable } from '../../domain/text.ts'
import type { ServiceSettings } from '../../options/index.ts'
import { invalidGrant } from '../../runtime/errors.ts'
import { type Passkeys, readResponse } from './ceremonies.ts'
import type { PasskeyAction } from './index.ts'
import * as stored from './rows.ts'

/** Maximum number of passkeys of a user. */
const maxPasskeys = 20
const maxNameLength = 50

/** A challenge is bound to a value that only the browser has, and to its purpose. */
interface Purpose {
  browser: string
  /** The user who adds a passkey; undefined for a login. */
  user?: StoredUser
}

const hashChallenge = (challenge: string, { browser, user }: Purpose): string =>
  hashSecret(`${browser} ${user?.id ?? 'login'} ${challenge}`)

/** Makes the options for creating a passkey or for logging in with one, and stores their challenge. */
export async function challengeBrowser(db: Db, passkeys: Passkeys, purpose: Purpose) {
  const options = await makeOptions(db, passkeys, purpose)
  await stored.insertChallenge(db, hashChallenge(options.challenge, purpose))
  return options
}

async function makeOptions(db: Db, passkeys: Passkeys, { user }: Purpose) {
  if (!user) return passkeys.requestOptions()
  const existing = await stored.listPasskeys(db, user.id)
  const name = `${user.firstName} ${user.lastName}`.trim() || user.email
  return passkeys.creationOptions(
    { ...user, name },
    existing.map(({ id }) => id)
  )
}

/** Parses an answer and deletes its challenge, which works only once. Throws `invalid_grant` for a wrong answer. */
async function readAnswer(db: Db, text: string, purpose: Purpose) {
  const response = readResponse(text)
  const hash = hashChallenge(response.challenge, purpose)
  if (!(await stored.takeChallenge(db, hash)))
    throw invalidGrant('the passkey challenge is unknown, used, expired, or from another browser')
  return response
}

/** Adds a passkey to the account of `purpose.user`. Returns its id. Throws `invalid_grant`. */
export async function addPasskey(
  db: Db,
  passkeys: Passkeys,
  { text, name, ...purpose }: { text: string; name: string; browser: string; user: StoredUser },
  actor: AuditActor
): Promise<string> {
  const { user } = purpose
  const key = await passkeys.checkCreation(await readAnswer(db, text, purpose))
  return transact(db, async transaction => {
    if (!(await findUnchangedUser(transaction, user)))
      throw invalidGrant(`user ${user.id} has changed since the challenge`)
    if ((await stored.listPasskeys(transaction, user.id)).length >= maxPasskeys)
      throw invalidGrant(`user ${user.id} already has ${maxPasskeys} passkeys`)
    if (!(await stored.insertPasskey(transaction, { ...key, userId: user.id, name: cleanName(name) })))
      throw invalidGrant(`passkey ${key.id} already exists`)
    await recordEvent<PasskeyAction>(transaction, actor, 'user.add_passkey', user, { passkey: key.id })
    return key.id
  })
}

const cleanName = (given: string): string => {
  const name = given.replace(new RegExp(`[${unprintable}]`, 'g'), ' ').trim()
  return [...name].slice(0, maxNameLength).join('') || 'Passkey'
}

/**
 * Finds the user who logs in with a passkey. Failures are limited per passkey and counted apart from wrong passwords,
 * so that wrong passwords do not lock a passkey. Throws the same `invalid_grant` for every mistake, 429 beyond the
 * limit.
 */
export async function logInWithPasskey(
  db: Db,
  passkeys: Passkeys,
  { text, browser }: { text: string; browser: string },
  settings: Pick<ServiceSettings, 'accountLimit'>
): Promise<StoredUser> {
  const response = await readAnswer(db, text, { browser })
  const { id } = response
  const passkey = await stored.findPasskey(db, id)
  if (!passkey) throw invalidGrant('unknown passkey', 'unknown_user')
  return limitFailures(db, settings, { kind: 'passkey', id }, async () => {
    const counter = await passkeys.checkLogin(response, passkey, passkey.userId)
    const user = await findUserById(db, passkey.userId)
    if (!user || user.disabled) throw invalidGrant(`user ${passkey.userId} is disabled`, 'disabled')
    if (!(await stored.recordPasskeyUse(db, id, counter)))
      throw invalidGrant(`passkey ${id} was deleted or used meanwhile`)
    return user
  })
}

/** Lists the passkeys of a user. Rejects with StoreError if there is no such user. */
export const listPasskeys = async (db: Db, email: string) =>
  stored.listPasskeys(db, (await requireUser(db, email)).id)

/** Deletes a passkey, and returns whether the user had it. Tokens and sessions stay valid. */
export const deletePasskey = (db: Db, user: StoredUser, id: string, actor: AuditActor): Promise<boolean> =>
  transact(db, async transaction => {
    if (!(await stored.deletePasskey(transaction, user.id, id))) return false
    await recordEvent<PasskeyAction>(transaction, actor, 'user.delete_passkey', user, { passkey: id })
    return true
  })
