import type { OptionValues } from 'commander'
import { features } from '../../features/load.ts'
import { join } from '../../runtime/join.ts'
import { type Call, type Options, UsageError } from '../../terminal/command.ts'
import type { FileFormats, Format, GivenFile, OpenImport } from '../../terminal/file-format.ts'

/** The formats that are not of features. */
const core: FileFormats = {
  extensions: { json: ['json'], ndjson: ['ndjson', 'jsonl'] },
  load: () => import('./json.ts')
}
const all = [core, ...features.flatMap(({ fileFormats }) => fileFormats ?? [])]

const extensions: FileFormats['extensions'] = join('formats', ...all.map(({ extensions }) => extensions))

/** The format of folders; undefined if no feature gives one. */
const [ofFolders] = all.flatMap(({ folders }) => folders ?? [])

/** The option of commands that selects a format. */
export const formatOption = {
  '--format <format>': {
    help: `default: by the name of the file, ndjson for -${ofFolders ? `, ${ofFolders} for a folder` : ''}`,
    choices: [...Object.keys(extensions), ...(ofFolders ? [ofFolders] : [])]
  }
}

/** The options that formats add. */
export const importOptions: Options = join('options', ...all.map(({ importOptions }) => importOptions))
export const exportOptions: Options = join('options', ...all.map(({ exportOptions }) => exportOptions))

/**
 * Finds the extension that stands for the format of a file: the name of the format or, without one, the extension of
 * the file; `-` is NDJSON. Returns undefined for a folder. Throws UsageError.
 */
export function selectExtension(
  path: string,
  format: string | undefined,
  isFolder: boolean
): string | undefined {
  const isOfFolders = format === undefined ? isFolder : format === ofFolders
  if (ofFolders !== undefined && isOfFolders) return undefined
  const extension = path === '-' ? 'ndjson' : (/\.([^.]+)$/.exec(path)?.[1]?.toLowerCase() ?? '')
  const found = format ?? extension
  if (Object.values(extensions).flat().includes(found)) return found
  throw new UsageError(`the name of ${path} does not tell its format: give --format`)
}

/** Begins an import in all formats; undefined if one of them has done something else instead. */
export async function openImport(call: Call, files: GivenFile[]): Promise<OpenImport | undefined> {
  const opened: OpenImport[] = []
  for (const { load } of all) {
    const { formats } = await load()
    const found = await formats.openImport(call, files)
    if (!found) return undefined
    opened.push(found)
  }
  return {
    needsIndex: opened.some(({ needsIndex }) => needsIndex),
    makeReaders: (db, options) =>
      join('formats', ...opened.map(({ makeReaders }) => makeReaders(db, options))),
    openFolder: opened.find(({ openFolder }) => openFolder)?.openFolder
  }
}

/** Makes the functions that write files, by extension, and the one that writes a folder. */
export async function makeWriters(options: OptionValues) {
  const loaded = (await Promise.all(all.map(({ load }) => load()))).map(({ formats }) => formats)
  const writers: Record<string, Format['write']> = join(
    'formats',
    ...loaded.map(formats => formats.makeWriters(options))
  )
  return { writers, writeFolder: loaded.find(({ writeFolder }) => writeFolder)?.writeFolder }
}
