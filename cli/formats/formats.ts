import type { OptionValues } from 'commander'
import { features } from '../../features/load.ts'
import { type Call, type Options, UsageError } from '../../terminal/command.ts'
import type { FileFormats, Format, GivenFile, Instead, OpenImport } from '../../terminal/file-format.ts'

/** The formats that are not of features. */
const core: FileFormats = {
  extensions: { json: ['json'], ndjson: ['ndjson', 'jsonl'] },
  load: () => import('./json.ts')
}
const all = [core, ...features.flatMap(({ fileFormats }) => fileFormats ?? [])]

const extensions: FileFormats['extensions'] = Object.assign({}, ...all.map(({ extensions }) => extensions))

/** The option of commands that selects a format. `opensea` is the format of folders. */
export const formatOption = {
  '--format <format>': {
    help: 'default: by the name of the file, ndjson for -, opensea for a folder',
    choices: [...Object.keys(extensions), 'opensea']
  }
}

/** The options that formats add. */
export const importOptions: Options = Object.assign({}, ...all.map(({ importOptions }) => importOptions))
export const exportOptions: Options = Object.assign({}, ...all.map(({ exportOptions }) => exportOptions))

/**
 * Finds the extension that stands for the format of a file: the name of the format or, without one, the extension of
 * the file; `-` is NDJSON. Throws UsageError.
 */
function findExtension(path: string, format: string | undefined): string {
  const extension = path === '-' ? 'ndjson' : (/\.([^.]+)$/.exec(path)?.[1]?.toLowerCase() ?? '')
  const found = format ?? extension
  if (Object.values(extensions).flat().includes(found)) return found
  throw new UsageError(`the name of ${path} does not tell its format: give --format`)
}

/** Finds the extension like {@link findExtension}. Returns undefined for a folder of metadata. */
export const selectExtension = (
  path: string,
  format: string | undefined,
  isFolder: boolean
): string | undefined =>
  format === 'opensea' || (format === undefined && isFolder) ? undefined : findExtension(path, format)

/** Begins an import in all formats. The options of one may ask for something else. */
export async function openImport(call: Call, files: GivenFile[]): Promise<OpenImport | Instead> {
  const opened: OpenImport[] = []
  for (const { load } of all) {
    const { formats } = await load()
    const found = await formats.openImport(call, files)
    if ('instead' in found) return found
    opened.push(found)
  }
  return {
    needsIndex: opened.some(({ needsIndex }) => needsIndex),
    makeReaders: (db, options) =>
      Object.assign({}, ...opened.map(({ makeReaders }) => makeReaders(db, options)))
  }
}

/** Makes the functions that write files, by extension. */
export async function makeWriters(options: OptionValues): Promise<Record<string, Format['write']>> {
  const loaded = await Promise.all(all.map(({ load }) => load()))
  return Object.assign({}, ...loaded.map(({ formats }) => formats.makeWriters(options)))
}
