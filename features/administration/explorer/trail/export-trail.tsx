import { useState } from 'preact/hooks'
import { describeFailure } from '../../../../explorer/api.ts'
import { formatCount } from '../../../../explorer/format.ts'
import { readField } from '../../../../explorer/requests.ts'
import { Button } from '../../../../explorer/ui/button.tsx'
import { saveFile } from '../../../../explorer/ui/save-file.ts'
import { readPages } from '../../../../explorer/ui/use-pages.ts'
import type { Page } from '../../../../explorer/ui/use-read.ts'
import type { AuditEvent } from '../../../../packages/client/schema.ts'
import { trailQuery } from './events.tsx'

/** Events in a file. The command `audit` has no limit. */
const maxEvents = 10_000
const pageSize = 100

/** Saves the events that match a filter as CSV, newest first. */
export function ExportTrail({ filter }: { filter: object }) {
  const [note, setNote] = useState('')
  const save = async () => {
    setNote('')
    try {
      const { lines, isComplete } = await readLines(filter, done => setNote(`${formatCount(done)} read…`))
      // With a byte order mark, without which Excel does not read UTF-8.
      saveFile(new Blob([`\uFEFF${lines.join('\r\n')}\r\n`], { type: 'text/csv' }), 'audit.csv')
      setNote(
        isComplete
          ? ''
          : `The file has the newest ${formatCount(maxEvents)} events. For older ones, choose a time.`
      )
    } catch (error) {
      setNote(describeFailure(error))
    }
  }
  return (
    <>
      <Button onClick={save}>Export as CSV</Button>
      <span role="status" class="muted">
        {note}
      </span>
    </>
  )
}

const columns = 'time,action,actor,subject,client,address,target kind,target id,details'

async function readLines(filter: object, onProgress: (done: number) => void) {
  const lines = [columns]
  const pages = readPages(after =>
    readField<Page<AuditEvent>>(trailQuery, { ...filter, first: pageSize, after })
  )
  for await (const events of pages) {
    if (lines.length > maxEvents) return { lines, isComplete: false }
    lines.push(...events.map(toLine))
    onProgress(lines.length - 1)
  }
  return { lines, isComplete: true }
}

const toLine = ({ time, action, actor, targetKind, targetId, details }: AuditEvent): string =>
  [time, action, actor.name, actor.subject, actor.clientId, actor.address, targetKind, targetId]
    .concat(JSON.stringify(details))
    .map(toCell)
    .join(',')

/** Quotes a cell. An apostrophe keeps a spreadsheet from computing a text that looks like a formula. */
const toCell = (value: string | null): string =>
  `"${(value ?? '').replace(/^(?=[=+\-@\t\r])/, "'").replaceAll('"', '""')}"`
