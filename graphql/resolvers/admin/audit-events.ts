import { type AuditFilter, listEvents } from '../../../db/audit/read.ts'
import { fromEventCursor, toEventCursor } from '../../../db/cursors.ts'
import { toStoredTime } from '../../../domain/timestamp.ts'
import { pageOf } from '../../admission/demands.ts'
import { badInput } from '../../errors.ts'
import { listSizes, readCursor, readFirst, toConnection } from '../../relay.ts'
import { adminQuery } from './guard.ts'

export const auditEvents = adminQuery(
  { items: pageOf(listSizes.auditEvents) },
  async (args: AuditFilter & { first?: number; after?: string }, context) => {
    const { first, after, since, until, ...filter } = args
    const limit = readFirst(first, listSizes.auditEvents)
    const before = readCursor(after, fromEventCursor)
    const times = { since: readTime('since', since), until: readTime('until', until) }
    const found = await listEvents(context.reader.primary, { ...filter, ...times }, limit + 1, before)
    const listed = found.slice(0, limit)
    const edges = listed.map(({ sequence, subject, clientId, name, address, ...event }) => ({
      cursor: toEventCursor(sequence),
      node: { ...event, id: sequence, actor: { subject, clientId, name, address } }
    }))
    return toConnection(edges, { hasNextPage: found.length > limit, hasPreviousPage: after !== undefined })
  }
)

/** Converts a time to the stored format. Throws BAD_USER_INPUT for any other text. */
function readTime(name: string, text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  const time = toStoredTime(text)
  if (time === undefined) throw badInput(`${name} must be a UTC time such as 2026-01-31T09:30:00Z`)
  return time
}
