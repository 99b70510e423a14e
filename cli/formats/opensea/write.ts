import { lstat, mkdir, readdir, realpath, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { writeMetadata } from '../../../db/templates/metadata/write.ts'
import type { ProductTemplate } from '../../../db/templates/table/columns.ts'
import { CommandError } from '../../terminal/command.ts'
import { fillBeside, findPart, throwFileError } from '../output.ts'

/** The disk flushes several files in about the time of one. Each has a parsed document in memory. */
const filesAtOnce = 8

/**
 * Writes the metadata of public templates to a folder, which must be empty or not exist: a file for each, as
 * `GET /metadata/:id.json` returns it. The folder is written beside and renamed when it is complete.
 */
export async function writeFolder(
  folder: string,
  pages: AsyncIterable<ProductTemplate[]>,
  ipfsGateway: string | undefined
): Promise<{ exported: number; notPublic: number }> {
  const target = await realpath(folder).catch(() => folder)
  const part = findPart(target)
  const counts = { exported: 0, notPublic: 0 }
  const mode = await findMode(folder, target)
  const fill = async (signal: AbortSignal) => {
    await mkdir(part, { mode })
    const write = ({ id, name, data }: ProductTemplate) => {
      const metadata = writeMetadata({ name, data }, { ipfsGateway })
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
  await fillBeside(part, target, fill).catch(throwFileError(folder))
  return counts
}

/** Returns the mode of the folder that will be replaced. Throws CommandError if it must not be. */
async function findMode(folder: string, target: string): Promise<number> {
  const existing = await lstat(target).catch(() => undefined)
  if (!existing) return 0o777
  const problem =
    (!existing.isDirectory() && `${folder} is not a folder`) ||
    ((await readdir(target)).length > 0 && `the folder ${folder} is not empty`) ||
    // Programs in it, such as the user's shell, would stay in the one that is replaced.
    (target === process.cwd() && `${folder} is the current folder: name a new one`)
  if (problem) throw new CommandError(problem)
  return existing.mode
}
