import { type AuditFilter, listEvents } from '../../db/audit/read.ts'
import { decodeNumber, encodeCursor } from '../../db/cursors.ts'
import { toStoredTime } from '../../domain/timestamp.ts'
import { badInput } from '../../graphql/errors.ts'
import { pageOf, readPage } from '../../graphql/relay.ts'
import { adminQuery } from '../../graphql/resolvers/admin-fields.ts'

/** The number of events of a page. */
const pageSize = { default: 50, max: 100 }

export const auditEvents = adminQuery(
  { items: pageOf(pageSize) },
  async (args: AuditFilter & { first?: number; after?: string }, context) => {
    const { first, after, since, until, ...filter } = args
    return readPage(args, {
      size: pageSize,
      fromCursor: cursor => decodeNumber(cursor, /^event:([1-9]\d{0,14})$/),
      read(limit, before) {
        const times = { since: readTime('since', since), until: readTime('until', until) }
        return listEvents(context.reader.primary, { ...filter, ...times }, limit, before)
      },
      toCursor: ({ sequence }) => encodeCursor(`event:${sequence}`),
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
