import { type AuditFilter, listEvents } from '../../../db/audit/read.ts'
import { fromEventCursor, toEventCursor } from '../../../db/cursors.ts'
import { toStoredTime } from '../../../domain/timestamp.ts'
import { badInput } from '../../errors.ts'
import { readPage } from '../../paged-list.ts'
import { listSizes, pageOf } from '../../relay.ts'
import { adminQuery } from '../admin-fields.ts'

export const auditEvents = adminQuery(
  { items: pageOf(listSizes.auditEvents) },
  async (args: AuditFilter & { first?: number; after?: string }, context) => {
    const { first, after, since, until, ...filter } = args
    return readPage(args, {
      size: listSizes.auditEvents,
      fromCursor: fromEventCursor,
      read(limit, before) {
        const times = { since: readTime('since', since), until: readTime('until', until) }
        return listEvents(context.reader.primary, { ...filter, ...times }, limit, before)
      },
      toCursor: ({ sequence }) => toEventCursor(sequence),
      toNodes: async listed =>
        listed.map(({ sequence, subject, clientId, name, address, ...event }) => {
          return { ...event, id: sequence, actor: { subject, clientId, name, address } }
        })
    })
  }
)

/** Converts a time to the stored format. Throws BAD_USER_INPUT for any other text. */
function readTime(name: string, text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  const time = toStoredTime(text)
  if (time === undefined) throw badInput(`${name} must be a UTC time such as 2026-01-31T09:30:00Z`)
  return time
}
