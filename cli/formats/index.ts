import { findNearest } from '../../options/nearest.ts'
import { UsageError } from '../terminal/command.ts'
import { csv } from './csv.ts'
import { openFile } from './files.ts'
import { type Format, formatNames, type Input } from './format.ts'
import { json } from './json.ts'
import { ndjson } from './ndjson.ts'
import { isFolder } from './opensea/list.ts'
import { fieldOptions, type OwnFields } from './opensea/options.ts'
import { openFolder } from './opensea/read.ts'

const formats: Record<string, Format> = { json, ndjson, csv }

/** Names of formats as extensions of file names, and other extensions. */
const extensions: Record<string, Format> = { ...formats, jsonl: ndjson }

/** Returns the format of files with a name, or that of a file by its name; a pipe, `-`, has NDJSON. Throws UsageError. */
export function findFormat(file: string, name?: string): Format {
  if (name !== undefined) {
    const format = formats[name]
    if (format) return format
    const near = findNearest(name, formatNames)
    throw new UsageError(`--format takes ${formatNames.join(', ')}${near ? `: did you mean ${near}?` : ''}`)
  }
  if (file === '-') return ndjson
  const format = extensions[/\.([^.]+)$/.exec(file)?.[1]?.toLowerCase() ?? '']
  if (!format) throw new UsageError(`the name of ${file} says no format: give --format`)
  return format
}

/** Opens files and folders; `-` is standard input. `fields` are for folders. Throws UsageError. */
export async function openInputs(
  paths: string[],
  format: string | undefined,
  fields: Partial<OwnFields>
): Promise<Input[]> {
  if (paths.filter(path => path === '-').length > 1) throw new UsageError('- may be given once')
  const given = await Promise.all(
    paths.map(async path => ({
      path,
      format: (await isFolder(path, format)) ? undefined : findFormat(path, format)
    }))
  )
  if (Object.keys(fields).length > 0 && given.some(({ format }) => format))
    throw new UsageError(`only folders of metadata take --${Object.keys(fieldOptions).join(', --')}`)
  return Promise.all(
    given.map(({ path, format }) => (format ? openFile(path, format) : openFolder(path, fields)))
  )
}
