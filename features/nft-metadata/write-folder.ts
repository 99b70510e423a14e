import { lstat, mkdir, readdir, realpath, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ProductTemplate } from '../../domain/columns.ts'
import { CommandError } from '../../terminal/command.ts'
import type { LoadedFormats } from '../../terminal/file-format.ts'
import { makeTemporaryPath, replaceAtomically, throwFileError } from '../../terminal/output.ts'
import { DroppedKeys } from './dropped-keys.ts'
import { writeMetadata } from './metadata.ts'

/**
 * Files that are written at the same time. The disk flushes several files in about the time of one, but each needs a
 * parsed document in memory.
 */
const filesAtOnce = 8

/**
 * Writes the metadata of public templates to a folder, a file for each, as a service serves it. The folder must be
 * empty or not exist. A complete temporary folder replaces it, so readers never see half of an export.
 */
export const writeFolder: NonNullable<LoadedFormats['writeFolder']> = async (
  folder,
  pages,
  { settings, note }
) => {
  const { ipfsGateway } = settings
  const target = await realpath(folder).catch(() => folder)
  const part = makeTemporaryPath(target)
  const counts = { exported: 0, notPublic: 0 }
  const dropped = new DroppedKeys()
  const mode = await findMode(folder, target)
  const fill = async (signal: AbortSignal) => {
    await mkdir(part, { mode })
    const write = ({ id, name, data }: ProductTemplate) => {
      const metadata = writeMetadata({ name, data }, { ipfsGateway })
      dropped.add(data)
      return writeFile(join(part, `${id}.json`), metadata, { flush: true, signal })
    }
    for await (const templates of pages) {
      const shown = templates.filter(({ publicProduct }) => publicProduct)
      for (let start = 0; start < shown.length; start += filesAtOnce)
        await Promise.all(shown.slice(start, start + filesAtOnce).map(write))
      counts.exported += shown.length
      counts.notPublic += templates.length - shown.length
    }
  }
  await replaceAtomically(part, target, fill).catch(throwFileError(folder))
  const names = dropped.describe()
  if (names !== '') note(`left out, because metadata has no such keys: ${names}`)
  return counts
}

/** Returns the mode of the folder that will be replaced. Throws CommandError if the folder must not be replaced. */
async function findMode(folder: string, target: string): Promise<number> {
  const existing = await lstat(target).catch(() => undefined)
  if (!existing) return 0o777
  if (!existing.isDirectory()) throw new CommandError(`${folder} is not a folder`)
  if ((await readdir(target)).length > 0) throw new CommandError(`the folder ${folder} is not empty`)
  // Programs in the folder, such as the user's shell, would stay in the old one.
  if (target === process.cwd())
    throw new CommandError(`${folder} is the current folder: choose another folder`)
  return existing.mode
}
