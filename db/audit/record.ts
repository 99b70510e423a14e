import type { AuditAction } from '../../domain/audit-actions.ts'
import { timestamp } from '../../domain/timestamp.ts'
import type { Actor } from '../accounts/actors.ts'
import type { Db, Transaction } from '../schema.ts'
import { transact } from '../transaction.ts'

export interface AuditActor extends Actor {
  /** The network address of the request; null if it has none. */
  address: string | null
  /** Whether this is an operator, such as at the command line. Only an operator may remove the last administrator. */
  isOperator?: boolean
}

/** The actor of changes by the service itself, and by a host that names no actor. */
export const noActor: AuditActor = { subject: null, clientId: null, name: null, address: null }

/** Makes the actor of changes by a user in a browser. On a Unix domain socket, requests have no address. */
export const makeUserActor = ({ id }: { id: string }, { ip }: { ip: string }): AuditActor => ({
  ...noActor,
  subject: id,
  address: ip || null
})

/** The target of an event. A user has the e-mail address, by which commands identify users. */
interface AuditTarget {
  id: string
  email?: string
}

/**
 * Adds an event to the audit trail, in the transaction of the change. `details` must contain no secrets and nothing
 * that grants access, such as the token of a link. A feature gives the type of its own actions.
 */
export async function recordEvent<Action extends string = AuditAction>(
  transaction: Transaction,
  actor: AuditActor,
  action: NoInfer<Action>,
  { id, email }: AuditTarget,
  details: object = {}
): Promise<void> {
  const { subject, clientId, name, address } = actor
  await transaction
    .insertInto('product_audit')
    .values(({ selectFrom }) => ({
      time_recorded: timestamp(),
      action,
      subject,
      client_id: clientId,
      // Stores the current address, because the user may be deleted later.
      actor_name:
        name ??
        selectFrom('product_user')
          .select('email')
          .where('id', '=', subject ?? ''),
      address,
      target_kind: action.split('.', 1)[0] as string,
      target_id: id,
      details: JSON.stringify({ ...(email !== undefined && { email }), ...details })
    }))
    .execute()
}

/** The event of a change. `details` is passed to {@link recordEvent}. */
type AuditedEvent<Target, Action> = [action: Action, actor: AuditActor, details?: (target: Target) => object]

/**
 * Makes the function that changes a user, a client or an object of a feature, and records it in the audit trail, in one
 * transaction. The change is recorded first, because it may remove the user who makes it. `find` rejects if there is no
 * such target.
 */
export const makeAuditedChange =
  <Target extends AuditTarget, Action extends string = AuditAction>(
    find: (db: Db, name: string, actor: AuditActor) => Promise<Target>
  ) =>
  <T>(
    db: Db,
    name: string,
    [action, actor, details]: AuditedEvent<Target, Action>,
    change: (transaction: Transaction, target: Target) => Promise<T>
  ): Promise<T> =>
    transact(db, async transaction => {
      const target = await find(transaction, name, actor)
      await recordEvent<Action>(transaction, actor, action, target, details?.(target))
      return change(transaction, target)
    })
