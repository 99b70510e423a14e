import type { Snapshot } from '../db/templates/table/export.ts'
import { isTimestamp } from '../db/timestamp.ts'
import type { ProcessSettings } from '../options.ts'
import { type Format, formatOption } from './formats/format.ts'
import { writeOutput } from './formats/output.ts'
import { bulkQueryTimeout, withStore } from './store.ts'
import { type Call, type Command, UsageError } from './terminal/command.ts'
import { startProgress } from './terminal/progress.ts'

export const command: Command = {
  summary: 'Export templates to a file or folder',
  positionals: ['[file]'],
  options: {
    format: formatOption,
    since: { type: 'string', value: 'time', help: 'only templates modified at this UTC time or later' },
    'no-data': { type: 'boolean', help: 'leave out the column data of CSV' },
    json: { type: 'boolean', help: 'print the summary as JSON; not with standard output' }
  },
  details: `
Writes a consistent snapshot to a file, which is complete or unchanged. The file - is standard output, the default. A
time is a date, 2026-01-31, or 2026-01-31T09:30:00Z with up to six digits for a fraction. With the format opensea the
metadata of each public template is a file in a new or empty folder. docs/import.md describes the formats.`,
  async run({ sources, positionals: [file = '-'], values }) {
    const { exportTemplates } = await import('../db/templates/table/export.ts')
    const { findFormat, isFolder } = await import('./formats/index.ts')
    const given = values.format as string | undefined
    const write = (await isFolder(file, given))
      ? toFolder(file)
      : toFile(file, findFormat(file, given), values)
    const since = values.since === undefined ? undefined : parseTime(String(values.since))
    const asJson = values.json === true
    if (asJson && file === '-') throw new UsageError('--json needs a file')
    const { text, ...counts } = await withStore(
      sources,
      (db, settings) =>
        exportTemplates(db, { since }, async snapshot => {
          const progress = startProgress('Exporting')
          const done = await write(snapshot, () => withProgress(snapshot, progress.update), settings)
          if (done.text !== undefined && !asJson) progress.finish(done.text)
          return done
        }),
      { databaseQueryTimeout: bulkQueryTimeout }
    )
    if (asJson) console.log(JSON.stringify(counts, null, 2))
  }
}

/** Writes a snapshot; `pages` is what it reads, with progress. */
type Write = (
  snapshot: Snapshot,
  pages: Snapshot['read'],
  settings: ProcessSettings
) => Promise<{ exported: number; notPublic?: number; text?: string }>

const toFile =
  (file: string, format: Format, values: Call['values']): Write =>
  async ({ count }, pages) => {
    const text = format.write(pages, { withoutData: values['no-data'] === true })
    const complete = await writeOutput(file, text)
    return { exported: count, ...(complete && { text: `Exported ${count} templates.` }) }
  }

function toFolder(folder: string): Write {
  if (folder === '-') throw new UsageError('the format opensea needs a folder')
  return async (_snapshot, pages, { ipfsGateway }) => {
    const { writeFolder } = await import('./formats/opensea/write.ts')
    const { written: exported, notPublic } = await writeFolder(folder, pages(), ipfsGateway)
    const omitted = notPublic > 0 ? `; ${notPublic} that are not public were left out` : ''
    return { exported, notPublic, text: `Exported ${exported} templates${omitted}.` }
  }
}

async function* withProgress(snapshot: Snapshot, progress: (done: number, total: number) => void) {
  let done = 0
  for await (const templates of snapshot.read()) {
    yield templates
    done += templates.length
    progress(done, snapshot.count)
  }
}

/** Returns a time in the stored format. Throws UsageError. */
function parseTime(given: string): string {
  const [, date, time = '00:00:00', fraction = ''] =
    /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d(?::\d\d)?)(?:\.(\d{1,6}))?Z)?$/.exec(given) ?? []
  const stored = `${date}T${time.padEnd(8, ':00')}.${fraction.padEnd(6, '0')}Z`
  if (!isTimestamp(stored))
    throw new UsageError('--since takes a UTC time such as 2026-01-31 or 2026-01-31T09:30:00Z')
  return stored
}
