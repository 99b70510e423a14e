import type { AuditEvent } from '../db/audit/read.ts'
import { auditActions } from '../domain/audit-actions.ts'
import { maxInt } from '../domain/columns.ts'
import { type Command, readInteger, readTime, UsageError } from '../terminal/command.ts'
import { writeOutput } from '../terminal/output.ts'
import { jsonOption, printList } from '../terminal/result.ts'
import { withStore } from '../terminal/store.ts'

/** Maximum number of events in the list without --limit. */
const defaultLimit = 50

const show: Command = {
  summary: 'Show who did what to users, clients, keys and webhooks',
  options: {
    '--since <time>': 'only at this UTC time or later',
    '--until <time>': 'only before this UTC time',
    '--actor <who>': "only by this subject, name or client: a user's e-mail address, or the user of commands",
    '--action <action>': { help: 'only this action', choices: auditActions },
    '--target <id>': 'only on the user, client or key with this id',
    '--limit <count>': `maximum number; default: ${defaultLimit}, and all with --format`,
    '--format <format>': { help: 'an event per line, as JSON', choices: ['ndjson'] },
    ...jsonOption
  },
  details: `
Newest first. A time is a date, 2026-01-31, or 2026-01-31T09:30:00Z with up to six digits for a fraction. Events are never
changed nor deleted.`,
  async run({ sources, options }) {
    const { readEvents } = await import('../db/audit/read.ts')
    const { actor, action, target, format, limit: given } = options
    if (options.json && format) throw new UsageError('give --json or --format, not both')
    const times = { since: readTime('--since', options.since), until: readTime('--until', options.until) }
    const byDefault = format === undefined ? defaultLimit : Number.MAX_SAFE_INTEGER
    const limit = given === undefined ? byDefault : readInteger('--limit', given, 0, maxInt)
    await withStore(sources, async db => {
      const events = readEvents(db, { actor, action, target, ...times }, limit)
      if (format) return void (await writeOutput('-', toLines(events)))
      const listed: AuditEvent[] = []
      for await (const event of events) listed.push(event)
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

async function* toLines(events: AsyncIterable<object>): AsyncGenerator<string> {
  for await (const event of events) yield `${JSON.stringify(event)}\n`
}
