/** This is not in `record.ts`, because the help of the command loads the names of the actions but no driver. */
import type { AuditAction } from '../../domain/audit-actions.ts'
import type { Db, Transaction } from '../schema.ts'
import { transact } from '../transaction.ts'
import { type AuditActor, type AuditTarget, recordEvent } from './record.ts'

/** The event of a change. `details` is passed to {@link recordEvent}. */
type AuditedEvent<Found, Action> = [action: Action, actor: AuditActor, details?: (target: Found) => object]

/**
 * Makes the function that changes a user, a client or what a feature stores, and records it in the audit trail, in one
 * transaction. The change is recorded first, because it may remove the user who makes it. `find` rejects if there is no
 * such target.
 */
export const makeAuditedChange =
  <Found extends AuditTarget, Action extends string = AuditAction>(
    find: (db: Db, name: string, actor: AuditActor) => Promise<Found>
  ) =>
  <T>(
    db: Db,
    name: string,
    [action, actor, details]: AuditedEvent<Found, Action>,
    change: (transaction: Transaction, target: Found) => Promise<T>
  ): Promise<T> =>
    transact(db, async transaction => {
      const target = await find(transaction, name, actor)
      await recordEvent<Action>(transaction, actor, action, target, details?.(target))
      return change(transaction, target)
    })
