import type { AuditEvent, AuditFilter } from '../db/audit/read.ts'
import type { Db } from '../db/schema.ts'
import { auditActions } from '../domain/audit-actions.ts'
import { maxInt } from '../domain/columns.ts'
import { auditActionsOfFeatures } from '../features/load.ts'
import { type Command, readInteger, readTime, UsageError } from '../terminal/command.ts'
import { writeOutput } from '../terminal/output.ts'
import { jsonOption, printList } from '../terminal/result.ts'
import { withStore } from '../terminal/store.ts'

/** Maximum number of events in the list without --limit. */
const defaultLimit = 50

const actions = [...auditActions, ...Object.keys(auditActionsOfFeatures)]

const show: Command = {
  summary: 'Show who did what to users, clients, keys and more',
  options: {
    '--since <time>': 'only events at this UTC time or later',
    '--until <time>': 'only events before this UTC time',
    '--actor <who>':
      "only events by this actor: a user's id or e-mail address, a client id, or the system user of a command",
    '--action <action>': { help: 'only events with this action', choices: actions },
    '--target <id>': 'only events about the user, client, key or other target with this id',
    '--limit <count>': `maximum number of events; default: ${defaultLimit}, or all with --format`,
    '--format <format>': { help: 'print one event per line, as JSON', choices: ['ndjson'] },
    ...jsonOption
  },
  details: `
Newest first. A time is a date such as 2026-01-31, or 2026-01-31T09:30:00Z with up to six fractional digits. Events are
never changed or deleted.`,
  async run({ sources, options }) {
    const { actor, action, target, format, limit: given } = options
    if (options.json && format) throw new UsageError('give --json or --format, not both')
    const times = { since: readTime('--since', options.since), until: readTime('--until', options.until) }
    const byDefault = format === undefined ? defaultLimit : Number.MAX_SAFE_INTEGER
    const limit = given === undefined ? byDefault : readInteger('--limit', given, 0, maxInt)
    await withStore(sources, async db => {
      const events = readEvents(db, { actor, action, target, ...times }, limit)
      if (format) return void (await writeOutput('-', toLines(events)))
      const listed = await Array.fromAsync(events)
      const rows = listed.map(({ time, action, name, clientId, address, targetId, details }) => ({
        time,
        action,
        actor: name,
        client: clientId,
        address,
        target: details.email ?? targetId
      }))
      printList(options, rows, listed)
    })
  }
}

/** `audit` alone does the same. */
export const command: Command = { ...show, subcommands: { show } }

/** Events per statement. */
const pageSize = 500

/** Reads at most `limit` events, newest first, page by page. */
async function* readEvents(db: Db, filter: AuditFilter, limit: number): AsyncGenerator<AuditEvent> {
  const { listEvents } = await import('../db/audit/read.ts')
  let last: AuditEvent | undefined
  for (let left = limit; left > 0; left -= pageSize) {
    const page = await listEvents(db, filter, Math.min(pageSize, left), last?.sequence)
    yield* page
    last = page.at(-1)
    if (page.length < pageSize) return
  }
}

async function* toLines(events: AsyncIterable<object>): AsyncGenerator<string> {
  for await (const event of events) yield `${JSON.stringify(event)}\n`
}
