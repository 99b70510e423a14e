import type { Transaction } from '../../../db/schema.ts'
import { transact } from '../../../db/transaction.ts'
import { PublicError } from '../../../errors.ts'
import type { GrantRequest } from '../token.ts'

/** The request of an exchange. `db` is its transaction. */
export interface ExchangeRequest extends GrantRequest {
  db: Transaction
}

/**
 * Exchanges a code or a refresh token in a transaction. A returned error is thrown after the commit: thrown inside, it
 * would roll back the use of the code or the revocation of a family.
 */
export async function exchange<T>(
  request: GrantRequest,
  job: (request: ExchangeRequest) => Promise<T | PublicError>
): Promise<T> {
  const result = await transact(request.db, db => job({ ...request, db }))
  if (result instanceof PublicError) throw result
  return result
}
