import type { Db } from '../../../db/schema.ts'
import { transact } from '../../../db/transaction.ts'
import { PublicError } from '../../../errors.ts'

/**
 * Exchanges a code or a refresh token in a transaction. A returned error is thrown after the commit: thrown inside, it
 * would roll back the use of the code or the revocation of a family.
 */
export async function exchange<T>(db: Db, job: (transaction: Db) => Promise<T | PublicError>): Promise<T> {
  const result = await transact(db, job)
  if (result instanceof PublicError) throw result
  return result
}
