/** Encrypts stored keys again: those that sign tokens, and those of features. */
import { decrypt, type KeySecrets, openKey, sealKey } from '../../accounts/credentials/signing-key.ts'
import { affectsRows } from '../../db/affects-rows.ts'
import { type AuditActor, recordEvent } from '../../db/audit/record.ts'
import type { AnyDb, Db } from '../../db/schema.ts'
import type { Tables } from '../../db/tables.ts'
import { transact } from '../../db/transaction.ts'
import { StartError } from '../../runtime/host-errors.ts'

/** Maximum number of rounds, because other processes may store keys meanwhile. */
const maxRounds = 5

/**
 * Encrypts all keys that these tables have with the new secret. The old secret decrypts them. Services that have both
 * secrets keep running. Returns the ids of the changed rows. Throws StartError and changes nothing if neither secret
 * decrypts a key.
 */
export async function reencryptKeys(
  db: Db,
  tables: Tables,
  secrets: KeySecrets,
  actor: AuditActor
): Promise<string[]> {
  const { keyEncryptionSecret: secret } = secrets
  if (secret === undefined)
    throw new StartError('PTS_BAD_OPTION', 'KEY_ENCRYPTION_SECRET is missing: set it to the new secret')
  const changed = new Set<string>()
  for (let round = 0; round <= maxRounds; round++) {
    const resealed = await resealOthers(await listSealedKeys(db, tables), secret, secrets)
    if (resealed.length === 0) return [...changed]
    for (const [key, to] of resealed) {
      const hasChanged = await transact(db, async transaction => {
        const replaced = await replaceSealedKey(transaction, key, to)
        if (replaced) await recordEvent<string>(transaction, actor, key.action, key)
        return replaced
      })
      if (hasChanged) changed.add(key.id)
    }
  }
  throw new Error('other processes keep storing keys with another secret')
}

/** Encrypts the keys that need it. Nothing is stored yet, so a failure changes nothing. */
async function resealOthers(keys: SealedKey[], secret: string, secrets: KeySecrets) {
  const resealed: [key: SealedKey, to: string][] = []
  for (const key of keys) {
    if ((await decrypt(key.sealed, secret)) !== undefined) continue
    resealed.push([key, await sealKey(await openKey(key.sealed, secrets), secret)])
  }
  return resealed
}

/** A stored key that KEY_ENCRYPTION_SECRET encrypts: one that signs tokens, or one of a feature. */
interface SealedKey {
  table: string
  column: string
  /** The id of the row. */
  id: string
  /** A JWK, or a JWE of one. */
  sealed: string
  /** The action that records a new encryption. */
  action: string
}

/** Lists the names of the tables that have such keys. */
export const listSealedTables = (tables: Tables): string[] =>
  Object.keys(tables).filter(table => tables[table]?.sealed)

/** Lists the keys in these tables. */
async function listSealedKeys(db: AnyDb, tables: Tables): Promise<SealedKey[]> {
  const columns = Object.entries(tables).flatMap(([table, { sealed }]) =>
    (sealed?.columns ?? []).map(column => ({ table, column, action: sealed?.action ?? '' }))
  )
  const found = columns.map(async each => {
    const rows = await db
      .selectFrom(each.table)
      .select(['id', `${each.column} as sealed`])
      .where(each.column, 'is not', null)
      .orderBy('id')
      .execute()
    return rows.map(row => ({ ...each, id: row.id as string, sealed: row.sealed as string }))
  })
  return (await Promise.all(found)).flat()
}

/** Replaces the stored form of a key by another form. Returns false if it has changed since it was read. */
const replaceSealedKey = (
  db: AnyDb,
  { table, column, id, sealed }: SealedKey,
  to: string
): Promise<boolean> =>
  affectsRows(
    db
      .updateTable(table)
      .set({ [column]: to })
      .where('id', '=', id)
      .where(column, '=', sealed)
  )
