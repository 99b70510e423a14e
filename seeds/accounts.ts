import { randomUUID } from 'node:crypto'
import { hashPassword, hashSecret, matchesSecret, verifyPassword } from '../accounts/credentials/secrets.ts'
import { type ClientToInsert, findStoredClient, insertClient } from '../db/accounts/clients.ts'
import { findUserByEmail, insertUser, type UserToInsert } from '../db/accounts/users.ts'
import type { Db, Transaction } from '../db/schema.ts'
import type { PasswordCost } from '../options/service.ts'
import { demo } from './credentials.ts'

const profiles = [
  {
    email: demo.email,
    firstName: 'Dana',
    lastName: 'Moreau',
    country: 'Portugal',
    mobile: '+351 910 000 000',
    wallets: ['0x52908400098527886E0F7030069857D2E4169EE7', '0xde709f2102306220921060314715629080e2fb77']
  },
  { email: 'plain@example.com', firstName: '', lastName: '', country: '', mobile: '', wallets: [] }
]

const client: ClientToInsert = {
  id: demo.clientId,
  secretHash: hashSecret(demo.clientSecret),
  grantTypes: ['password', 'client_credentials'],
  scopes: ['read', 'write'],
  mayIntrospect: false
}

/** Creates the demo users. Call it before a transaction: it hashes their passwords. */
export function createDemoUsers(cost: PasswordCost): Promise<UserToInsert[]> {
  return Promise.all(
    profiles.map(async profile => ({
      ...profile,
      id: randomUUID(),
      passwordHash: await hashPassword(demo.password, cost)
    }))
  )
}

/** Inserts the demo users and the demo client. */
export async function insertDemoAccounts(transaction: Transaction, users: UserToInsert[]): Promise<void> {
  for (const user of users) await insertUser(transaction, user)
  await insertClient(transaction, client)
}

/** Returns the commands that replace the demo credentials still in use; empty if none of them works. */
export async function findDemoCredentialRemedies(db: Db): Promise<string[]> {
  const [found, ...users] = await Promise.all([
    findStoredClient(db, demo.clientId),
    ...profiles.map(({ email }) => findUserByEmail(db, email))
  ])
  const remedies: string[] = []
  if (
    found &&
    !found.disabled &&
    matchesSecret(demo.clientSecret, found.secretHash, found.previousSecretHash)
  ) {
    remedies.push(`product-templates client secret ${found.id}`)
  }
  for (const user of users) {
    if (user && !user.disabled && (await verifyPassword(demo.password, user.passwordHash))) {
      remedies.push(`product-templates user passwd ${user.email}`)
    }
  }
  return remedies
}
