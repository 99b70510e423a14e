/** Clients, as administrators, commands and hosts change them: checked, and recorded in the audit trail. */
import { isDeepStrictEqual } from 'node:util'
import type { StoredClient } from '../db/accounts/clients.ts'
import * as stored from '../db/accounts/clients.ts'
import { type AuditActor, makeAuditedChange, recordEvent } from '../db/audit/record.ts'
import type { Db, Transaction } from '../db/schema.ts'
import { transact } from '../db/transaction.ts'
import { apiScopes, grantTypes, publicGrantTypes, scopes } from '../domain/rights.ts'
import { secondsFromNow } from '../domain/timestamp.ts'
import { ArgumentError, accountExists, accountMissing } from '../runtime/host-errors.ts'
import { checkArgument } from '../runtime/validator.ts'
import { ClientRights, checkCombination, NewClient, sortLike } from './client-input.ts'
import { checkOverlap } from './credentials/overlap.ts'
import { generateSecret, hashSecret } from './credentials/secrets.ts'

/** A client without its secrets and its token epoch. */
export type Client = Omit<StoredClient, 'secretHash' | 'previousSecretHash' | 'tokenEpoch'>

/**
 * Adds a client. By default, it has `read` and `write` with the password grant or, if it is public, with
 * authorization codes and refresh tokens. Returns the generated secret, of which the database has only a hash. A
 * public client has no secret. Rejects with ArgumentError for wrong values, with StoreError if the id is taken.
 */
export async function addClient(
  db: Db,
  input: NewClient,
  actor: AuditActor
): Promise<{ client: Client; secret?: string }> {
  const { id, ...values } = checkArgument('client', NewClient, input)
  // A public client needs a hash too, but nobody learns its secret.
  const secret = generateSecret()
  const isPublic = values.isPublic ?? false
  const client = {
    grantTypes: sortLike(grantTypes, values.grantTypes ?? (isPublic ? publicGrantTypes : ['password'])),
    scopes: sortLike(scopes, values.scopes ?? apiScopes),
    mayIntrospect: values.mayIntrospect ?? false,
    isPublic,
    redirectUris: [...new Set(values.redirectUris)],
    firstParty: values.firstParty ?? false,
    displayName: values.displayName ?? ''
  }
  checkCombination(client, values.redirectUris)
  return transact(db, async transaction => {
    if (await stored.findStoredClient(transaction, id)) throw accountExists(`client ${id}`)
    await stored.insertClient(transaction, { id, ...client, secretHash: hashSecret(secret) })
    await recordEvent(transaction, actor, 'client.add', { id }, client)
    return { client: await requireClient(transaction, id), ...(!isPublic && { secret }) }
  })
}

/** Whether an id is that of a client that describes itself, a URL. Ids of registered clients have no colon. */
export const isDescribed = (id: string): boolean => id.includes(':')

/** Adds or updates a client that describes itself. An update keeps the scopes, which an operator may change. */
export async function saveDescribedClient(
  transaction: Transaction,
  client: StoredClient,
  actor: AuditActor
): Promise<void> {
  const { id, scopes, grantTypes, redirectUris, displayName } = client
  const described = { grantTypes, redirectUris, displayName }
  const existing = await stored.findStoredClient(transaction, id)
  if (!existing) {
    await stored.insertClient(transaction, client)
    return recordEvent(transaction, actor, 'client.add', { id }, { ...described, scopes })
  }
  if (isDeepStrictEqual({ ...existing, ...described }, existing)) return
  await stored.updateStoredClient(transaction, id, described)
  await recordEvent(transaction, actor, 'client.update', { id }, described)
}

export async function findClient(db: Db, id: string): Promise<Client | undefined> {
  const client = await stored.findStoredClient(db, id)
  return client && omitSecrets(client)
}

/** Lists all clients by id. */
export const listClients = async (db: Db): Promise<Client[]> =>
  (await stored.listStoredClients(db)).map(omitSecrets)

/**
 * Replaces the secret of a client and returns the new one. The old secret stays valid for `overlap` seconds, at most
 * 30 days; 0 if omitted. Any older secret ends. Rejects with StoreError if there is no such client, with
 * ArgumentError if the client is public.
 */
export async function rotateSecret(
  db: Db,
  id: string,
  { overlap = 0 } = {},
  actor: AuditActor
): Promise<string> {
  checkOverlap(overlap)
  const secret = generateSecret()
  const details = () => ({ overlap })
  await changeClient(db, id, ['client.rotate_secret', actor, details], (transaction, { isPublic }) => {
    const message = `client ${id} is public and has no secret`
    if (isPublic) throw new ArgumentError(message, [{ name: 'id', message }])
    const keepUntil = overlap === 0 ? null : secondsFromNow(overlap)
    return stored.updateSecret(transaction, id, hashSecret(secret), keepUntil)
  })
  return secret
}

/** Changes the given rights of a client. Rejects with ArgumentError, or with StoreError for an unknown client. */
export async function updateClient(
  db: Db,
  id: string,
  input: ClientRights,
  actor: AuditActor
): Promise<Client> {
  const values = checkArgument('client', ClientRights, input)
  const changed = {
    ...values,
    ...(values.grantTypes && { grantTypes: sortLike(grantTypes, values.grantTypes) }),
    ...(values.scopes && { scopes: sortLike(scopes, values.scopes) })
  }
  return changeClient(db, id, ['client.update', actor, () => changed], async (transaction, client) => {
    checkCombination({ ...client, ...changed }, values.redirectUris)
    await stored.updateStoredClient(transaction, id, changed)
    return requireClient(transaction, id)
  })
}

/** Deletes a client and ends all its tokens. Rejects with StoreError if there is no such client. */
export const deleteClient = (db: Db, id: string, actor: AuditActor): Promise<void> =>
  changeClient(db, id, ['client.delete', actor], transaction => stored.deleteClient(transaction, id))

/**
 * Disables a client. Its tokens are refused until it is enabled. Rejects with StoreError if there is no such client.
 */
export const disableClient = (db: Db, id: string, actor: AuditActor): Promise<void> =>
  changeClient(db, id, ['client.disable', actor], transaction =>
    stored.updateStoredClient(transaction, id, { disabled: true })
  )

/** Enables a disabled client. Rejects with StoreError if there is no such client. */
export const enableClient = (db: Db, id: string, actor: AuditActor): Promise<void> =>
  changeClient(db, id, ['client.enable', actor], transaction =>
    stored.updateStoredClient(transaction, id, { disabled: false })
  )

/** Finds a client. Rejects with StoreError if there is no such client. */
export async function requireClient(db: Db, id: string): Promise<Client> {
  const client = await findClient(db, id)
  if (!client) throw accountMissing(`client ${id}`)
  return client
}

/** Changes a client and records the change in the audit trail. */
const changeClient = makeAuditedChange(requireClient)

const omitSecrets = ({
  secretHash: _hash,
  previousSecretHash: _previous,
  tokenEpoch: _epoch,
  ...client
}: StoredClient): Client => client
