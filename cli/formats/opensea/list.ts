import { lstat, opendir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { UsageError } from '../../terminal/command.ts'

/** A file of metadata. */
export interface MetadataFile {
  name: string
  id: number
}

/** The files of a folder, by id. */
export interface Folder {
  files: MetadataFile[]
  /** Bytes of these files. */
  size: number
  /** Other files and folders in it. */
  ignored: number
}

/** Whether a path is a folder of metadata: because of its format or, without one, because it is a directory. */
export async function isFolder(path: string, format: string | undefined): Promise<boolean> {
  if (format !== undefined || path === '-') return format === 'opensea'
  return stat(path).then(
    found => found.isDirectory(),
    () => false
  )
}

/** Lists the files whose names are ids. Throws UsageError if there are only others, or the folder cannot be read. */
export async function listFolder(path: string): Promise<Folder> {
  if (path === '-') throw new UsageError('the format opensea needs a folder')
  const folder: Folder = { files: [], size: 0, ignored: 0 }
  try {
    for await (const entry of await opendir(path)) {
      const id = entry.isDirectory() ? undefined : readId(entry.name)
      if (id === undefined) folder.ignored++
      else {
        folder.files.push({ name: entry.name, id })
        folder.size += await measure(join(path, entry.name))
      }
    }
  } catch (error) {
    const { code } = error as { code?: string }
    throw new UsageError(code === 'ENOTDIR' ? `${path} is not a folder` : `cannot read ${path}: ${code}`, {
      cause: error
    })
  }
  if (folder.files.length === 0 && folder.ignored > 0)
    throw new UsageError(`no file in ${path} has an id as its name, such as 1.json`)
  folder.files.sort((a, b) => a.id - b.id || (a.name < b.name ? -1 : 1))
  return folder
}

/** A file that is gone has a problem when it is read. */
const measure = (path: string): Promise<number> =>
  lstat(path).then(
    ({ size }) => size,
    () => 0
  )

/** Reads the id of a name: decimal, or 64 hexadecimal digits as in EIP-1155. It may be larger than templates can have. */
function readId(name: string): number | undefined {
  const [, digits = ''] = /^([\da-f]+)(?:\.json)?$/i.exec(name) ?? []
  if (digits.length === 64) return Number.parseInt(digits, 16)
  return /^\d+$/.test(digits) ? Number(digits) : undefined
}
