import type { Db, Row } from '../schema.ts'

/** Conditions on events. An event must meet all conditions. */
export interface AuditFilter {
  /** Subject, name or client of the actor. */
  actor?: string | undefined
  action?: string | undefined
  /** Id of the target. */
  target?: string | undefined
  /** The earliest time, in the stored format. */
  since?: string | undefined
  /** Events at this time or later are left out. */
  until?: string | undefined
}

/** An event of the audit trail. */
export type AuditEvent = ReturnType<typeof toEvent>

const toEvent = (row: Row<'product_audit'>) => ({
  sequence: row.sequence,
  time: row.time_recorded,
  action: row.action,
  subject: row.subject,
  clientId: row.client_id,
  name: row.actor_name,
  address: row.address,
  targetKind: row.target_kind,
  targetId: row.target_id,
  details: JSON.parse(row.details) as Record<string, unknown>
})

/** Lists at most `limit` events, newest first, optionally only events before a sequence number. */
export async function listEvents(
  db: Db,
  { actor, action, target, since, until }: AuditFilter,
  limit: number,
  before?: number
): Promise<AuditEvent[]> {
  const rows = await db
    .selectFrom('product_audit')
    .selectAll()
    .orderBy('sequence', 'desc')
    .limit(limit)
    .$if(before !== undefined, query => query.where('sequence', '<', before as number))
    .$if(actor !== undefined, query =>
      query.where(({ or, eb }) =>
        or((['subject', 'actor_name', 'client_id'] as const).map(column => eb(column, '=', actor as string)))
      )
    )
    .$if(action !== undefined, query => query.where('action', '=', action as string))
    .$if(target !== undefined, query => query.where('target_id', '=', target as string))
    .$if(since !== undefined, query => query.where('time_recorded', '>=', since as string))
    .$if(until !== undefined, query => query.where('time_recorded', '<', until as string))
    .execute()
  return rows.map(toEvent)
}
