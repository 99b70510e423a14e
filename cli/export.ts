import { stat } from 'node:fs/promises'
import type { Db } from '../db/schema.ts'
import type { Export } from '../db/templates/read/list.ts'
import type { ProcessSettings } from '../options/index.ts'
import { type Command, readTime, UsageError } from '../terminal/command.ts'
import { throwFileError, writeOutput } from '../terminal/output.ts'
import { startProgress } from '../terminal/progress.ts'
import { collectNotes, printJson } from '../terminal/result.ts'
import { bulkTimeout, withStore } from '../terminal/store.ts'
import { exportOptions, formatOption, makeWriters, selectExtension } from './formats/formats.ts'

export const command: Command = {
  summary: 'Export templates to a file or folder',
  args: '[file]',
  options: {
    ...formatOption,
    '--since <time>': 'only templates whose timeModified is this UTC time or later',
    ...exportOptions,
    '--json': 'print the summary as JSON; not with standard output'
  },
  details: `
Writes a consistent snapshot to a file. If the export fails, the file stays unchanged. The file - is standard output, the
default. A time is a date such as 2026-01-31, or 2026-01-31T09:30:00Z with up to six fractional digits. A template may
appear later than its timeModified says: let --since overlap the last export by the longest import.
docs/import.md describes the formats.`,
  async run({ sources, options }, file = '-') {
    const { attachReplica } = await import('../db/templates/snapshot.ts')
    const { exportTemplates } = await import('../db/templates/read/list.ts')
    const extension = selectExtension(file, options.format, file !== '-' && (await isFolder(file)))
    const { writers, writeFolder } = await makeWriters(options)
    if (!extension && file === '-') throw new UsageError(`the format ${options.format} needs a folder`)
    const since = readTime('--since', options.since)
    if (options.json && file === '-') throw new UsageError('--json needs a file')
    const write = async (exported: Export, settings: ProcessSettings): Promise<void> => {
      const progress = startProgress('Exporting')
      const pages = () => readWithProgress(exported, progress.update)
      const { notes, note } = collectNotes(options.json)
      const text = extension && writers[extension]?.(pages, note)
      if (text && !(await writeOutput(file, text))) return
      const counts = text
        ? { exported: exported.count }
        : await writeFolder!(file, pages(), { settings, note })
      if (options.json) printJson({ ...counts, notes })
      else progress.finish(describeExport(counts))
    }
    const job = async (db: Db, settings: ProcessSettings) => {
      const { databaseRead } = settings
      const replica = databaseRead && (await attachReplica(db, databaseRead, { ...settings, ...bulkTimeout }))
      try {
        await exportTemplates(db, { since }, exported => write(exported, settings))
      } finally {
        if (replica) await replica.destroy()
      }
    }
    await withStore(sources, job, bulkTimeout)
  }
}

/** Whether a path is a folder. What is not there yet is none. */
async function isFolder(path: string): Promise<boolean> {
  const found = await stat(path).catch(error =>
    error.code === 'ENOENT' ? undefined : throwFileError(path)(error)
  )
  return found?.isDirectory() ?? false
}

function describeExport({ exported, notPublic = 0 }: { exported: number; notPublic?: number }): string {
  const omitted = notPublic > 0 ? `; left out ${notPublic} that are not public` : ''
  return `Exported ${exported} templates${omitted}.`
}

async function* readWithProgress({ count, read }: Export, progress: (done: number, total: number) => void) {
  let done = 0
  for await (const templates of read()) {
    yield templates
    done += templates.length
    progress(done, count)
  }
}
