/** The operations on the identities of users at OpenID providers. */
import { formatCost, makeUnmatchableHash } from '../../accounts/credentials/secrets.ts'
import { emailPattern } from '../../accounts/user-input.ts'
import { createUser, requireUser } from '../../accounts/users.ts'
import { findUserByEmail, findUserById, maxEmailLength, type StoredUser } from '../../db/accounts/users.ts'
import { type AuditActor, makeAuditedChange, makeUserActor, recordEvent } from '../../db/audit/record.ts'
import type { Db, Transaction } from '../../db/schema.ts'
import { transact } from '../../db/transaction.ts'
import { isName, toOneLine } from '../../domain/text.ts'
import type { PasswordCost } from '../../options/service.ts'
import { hasMoreCharacters } from '../../runtime/characters.ts'
import { invalidGrant } from '../../runtime/errors.ts'
import { accountMissing } from '../../runtime/host-errors.ts'
import type { ProviderAction } from './index.ts'
import type { LoginProvider, ProviderClaims } from './provider.ts'
import * as stored from './rows.ts'

/** Changes what a user logs in with, and records the change in the audit trail. */
const changeLogins = makeAuditedChange<StoredUser, ProviderAction>(requireUser)

/** Lists the identities of a user. Rejects with StoreError if there is no such user. */
export async function listIdentities(db: Db, email: string): Promise<stored.Identity[]> {
  const { id } = await requireUser(db, email)
  return (await stored.listIdentities(db, [id])).map(({ issuer, subject }) => ({ issuer, subject }))
}

/**
 * Lets a user log in with an identity at a provider. If another user has the identity, it moves, and the audit trail
 * says so of both. Rejects with StoreError if there is no such user.
 */
export const linkIdentity = (
  db: Db,
  email: string,
  identity: stored.Identity,
  actor: AuditActor
): Promise<void> =>
  changeLogins(db, email, ['user.link_identity', actor, () => identity], async (transaction, { id }) => {
    const former = await stored.findUserOfIdentity(transaction, identity)
    if (former !== undefined && former !== id) {
      const user = (await findUserById(transaction, former)) as StoredUser
      await recordEvent<ProviderAction>(transaction, actor, 'user.unlink_identity', user, identity)
    }
    await stored.linkIdentity(transaction, id, identity)
  })

/**
 * Removes an identity of a user. Tokens and sessions stay valid. Rejects with StoreError if there is no such user,
 * or if the user does not have the identity.
 */
export const unlinkIdentity = (
  db: Db,
  email: string,
  identity: stored.Identity,
  actor: AuditActor
): Promise<void> =>
  changeLogins(db, email, ['user.unlink_identity', actor, () => identity], async (transaction, { id }) => {
    if ((await stored.findUserOfIdentity(transaction, identity)) !== id)
      throw accountMissing(`identity ${identity.subject} of user ${email}`)
    await stored.unlinkIdentity(transaction, identity)
  })

/** The role of a user who is created at the first login, unless the provider names another one. */
const roleByDefault = 'reader'

/**
 * Finds the user with an identity. At the first login, creates the user if the provider allows it. An identity is an
 * issuer and a subject. An e-mail address alone never gives access to an account. Rejects with `invalid_grant`.
 */
export const findOrCreateUser = (
  db: Db,
  provider: LoginProvider,
  claims: ProviderClaims,
  { cost, request }: { cost: PasswordCost; request: { ip: string } }
): Promise<StoredUser> =>
  transact(db, async transaction => {
    const identity = { issuer: claims.iss, subject: claims.sub }
    if (!isName(claims.sub)) throw invalidGrant(`${provider.id}: the subject cannot be stored`)
    const userId = await stored.findUserOfIdentity(transaction, identity)
    if (userId === undefined) {
      const user = await createFromClaims(transaction, provider, claims, cost)
      await stored.linkIdentity(transaction, user.id, identity)
      const details = { role: user.role, provider: provider.id, ...identity }
      await recordEvent(transaction, makeUserActor(user, request), 'user.add', user, details)
      return user
    }
    const user = await findUserById(transaction, userId)
    if (!user || user.disabled) throw invalidGrant(`user ${userId} is disabled`, 'disabled')
    return user
  })

async function createFromClaims(
  transaction: Transaction,
  { id, create }: LoginProvider,
  claims: ProviderClaims,
  cost: PasswordCost
): Promise<StoredUser> {
  const who = `${id}: ${claims.sub}`
  const { email } = claims
  if (create === undefined || !mayCreate(create, claims))
    throw invalidGrant(`${who} has no account, and the provider may not create one`, 'unknown_user')
  if (typeof email !== 'string' || !address.test(email) || hasMoreCharacters(email, maxEmailLength))
    throw invalidGrant(`${who} has no valid e-mail address`, 'unknown_user')
  if (!mayBeVerified(claims))
    throw invalidGrant(`${who}: the provider has not verified the e-mail address`, 'unknown_user')
  // The account is not linked, because the owner of the address at the provider may be another person.
  if (await findUserByEmail(transaction, email))
    throw invalidGrant(`${who}: the e-mail address already has an account`, 'unknown_user')
  const values = {
    email,
    firstName: readTextClaim(claims.given_name),
    lastName: readTextClaim(claims.family_name),
    role: create.role ?? roleByDefault,
    ...(create.where && { where: create.where })
  }
  return createUser(transaction, values, makeUnmatchableHash(formatCost(cost)))
}

const address = new RegExp(emailPattern)

/** Some providers, such as Cognito's userinfo, send the claim as a text. */
const isVerified = ({ email_verified: verified }: ProviderClaims): boolean => String(verified) === 'true'
const mayBeVerified = (claims: ProviderClaims): boolean => claims.email_verified == null || isVerified(claims)

const readTextClaim = (claim: unknown): string => (isName(claim) ? toOneLine(claim) : '')

function mayCreate(
  { domains, claim, values = [] }: NonNullable<LoginProvider['create']>,
  claims: ProviderClaims
): boolean {
  const domain = typeof claims.email === 'string' ? claims.email.split('@').at(-1)?.toLowerCase() : undefined
  const hasDomain = isVerified(claims) && domains?.some(allowed => allowed.toLowerCase() === domain) === true
  const found = claim === undefined ? [] : [claims[claim]].flat()
  return (
    (domains === undefined || hasDomain) &&
    (claim === undefined || values.some(value => found.includes(value)))
  )
}
