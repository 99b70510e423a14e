import { useState } from 'preact/hooks'
import type { AuditEvent } from '../../../packages/client/schema.ts'
import { describeFailure } from '../../api.ts'
import { formatCount } from '../../format.ts'
import { saveFile } from '../../parts/save-file.ts'
import { busy, useBusy } from '../../parts/use-busy.ts'
import { read } from '../../requests.ts'
import type { Page } from '../use-pages.ts'
import { trailQuery } from './events.tsx'

/** Events in a file. The command `audit` has no limit. */
const maxEvents = 10_000
const pageSize = 100

/** Saves the events that match a filter as CSV, newest first. */
export function ExportTrail({ filter }: { filter: object }) {
  const [note, setNote] = useState('')
  const [isBusy, runOnce] = useBusy()
  const save = async () => {
    setNote('')
    try {
      const { lines, isComplete } = await readLines(filter, done => setNote(`${formatCount(done)} read…`))
      // With a byte order mark, without which Excel does not read UTF-8.
      saveFile(new Blob([`\uFEFF${lines.join('\r\n')}\r\n`], { type: 'text/csv' }), 'audit.csv')
      setNote(
        isComplete
          ? ''
          : `The file has the newest ${formatCount(maxEvents)} events: choose a time for others.`
      )
    } catch (error) {
      setNote(describeFailure(error))
    }
  }
  return (
    <>
      <button type="button" class="button" {...busy(isBusy)} onClick={() => runOnce(save)}>
        Export as CSV
      </button>
      <span role="status" class="muted">
        {note}
      </span>
    </>
  )
}

const columns = 'time,action,actor,subject,client,address,target kind,target id,details'

interface Answer {
  auditEvents: Page<AuditEvent>
}

async function readLines(filter: object, onProgress: (done: number) => void) {
  const lines = [columns]
  for (let after: string | null = null; lines.length <= maxEvents; ) {
    const { auditEvents }: Answer = await read<Answer>(trailQuery, {
      ...filter,
      ...{ first: pageSize, after }
    })
    lines.push(...auditEvents.nodes.map(toLine))
    onProgress(lines.length - 1)
    after = auditEvents.pageInfo.endCursor
    if (!auditEvents.pageInfo.hasNextPage) return { lines, isComplete: true }
  }
  return { lines, isComplete: false }
}

const toLine = ({ time, action, actor, targetKind, targetId, details }: AuditEvent): string =>
  [time, action, actor.name, actor.subject, actor.clientId, actor.address, targetKind, targetId]
    .concat(JSON.stringify(details))
    .map(toCell)
    .join(',')

/** Quotes a cell. An apostrophe keeps a spreadsheet from computing a text that looks like a formula. */
const toCell = (value: string | null): string =>
  `"${(value ?? '').replace(/^(?=[=+\-@\t\r])/, "'").replaceAll('"', '""')}"`
