import { stat } from 'node:fs/promises'
import { UsageError } from '../terminal/command.ts'
import type { Format } from './format.ts'
import { json, ndjson } from './json.ts'
import { csv, xlsx } from './tables.ts'

const formats: Record<string, Format> = { json, ndjson, csv, xlsx }

/** Names of formats as extensions of file names, and other extensions. */
const extensions: Record<string, Format> = { ...formats, jsonl: ndjson, tsv: csv }

/** Returns the format of files with a name, or that of a file by its name; a pipe, `-`, has NDJSON. Throws UsageError. */
export function findFormat(file: string, name?: string): Format {
  const extension = file === '-' ? 'ndjson' : (/\.([^.]+)$/.exec(file)?.[1]?.toLowerCase() ?? '')
  const format = name === undefined ? extensions[extension] : formats[name]
  if (!format) throw new UsageError(`the name of ${file} says no format: give --format`)
  return format
}

/** Whether a path is a folder of metadata: because of its format or, without one, because it is a directory. */
export async function isFolder(path: string, format: string | undefined): Promise<boolean> {
  if (format !== undefined || path === '-') return format === 'opensea'
  return stat(path).then(
    found => found.isDirectory(),
    () => false
  )
}
