import { isUtf8 } from 'node:buffer'
import { constants } from 'node:fs'
import { lstat, open, opendir } from 'node:fs/promises'
import { join } from 'node:path'
import type { ImportRecord } from '../../../db/templates/import/import.ts'
import { Unreadable } from '../../../tables/table.ts'
import { UsageError } from '../../terminal/command.ts'
import { type Input, type Place, unreadable } from '../format.ts'
import { locateMistake } from '../json.ts'
import { defaultFields, type OwnFields } from './options.ts'

/** Maximum bytes of a file. */
const maxFileSize = 2 ** 23

/**
 * Opens a folder of metadata. Each file whose name is an id becomes a template; `fields` are what it does not say. Throws
 * UsageError if there are only other files, or the folder cannot be read.
 */
export async function openFolder(path: string, fields: Partial<OwnFields>): Promise<Input> {
  if (path === '-') throw new UsageError('the format opensea needs a folder')
  const { files, ignored } = await listFolder(path).catch(error => {
    const { code } = error as { code?: string }
    throw new UsageError(code === 'ENOTDIR' ? `${path} is not a folder` : `cannot read ${path}: ${code}`)
  })
  if (files.length === 0 && ignored > 0)
    throw new UsageError(`no file in ${path} has an id as its name, such as 1.json`)
  return {
    size: files.reduce((sum, { size }) => sum + size, 0),
    ignored,
    async *read(count) {
      for (const { file, id, size } of files) {
        const record = await readRecord(file, { id, ...defaultFields, ...fields })
        if (record.values) count(size)
        yield record
      }
    }
  }
}

/** Lists the files whose names are ids, by id, and counts the others. */
async function listFolder(path: string) {
  const files: { file: string; id: number; size: number }[] = []
  let ignored = 0
  for await (const entry of await opendir(path)) {
    const id = entry.isDirectory() ? undefined : readId(entry.name)
    if (id === undefined) ignored++
    else {
      const file = join(path, entry.name)
      // A file that is gone has a problem when it is read.
      const { size } = await lstat(file).catch(() => ({ size: 0 }))
      files.push({ file, id, size })
    }
  }
  files.sort((a, b) => a.id - b.id || (a.file < b.file ? -1 : 1))
  return { files, ignored }
}

/** Reads the id of a name: decimal, or 64 hexadecimal digits as in EIP-1155. It may be larger than templates can have. */
function readId(name: string): number | undefined {
  const [, digits = ''] = /^([\da-f]+)(?:\.json)?$/i.exec(name) ?? []
  if (digits.length === 64) return Number.parseInt(digits, 16)
  return /^\d+$/.test(digits) ? Number(digits) : undefined
}

/** Makes a record with the text of the file as `data`. */
async function readRecord(file: string, fields: OwnFields & { id: number }): Promise<ImportRecord<Place>> {
  let data = ''
  try {
    data = await readText(file)
    const { name } = (JSON.parse(data) ?? {}) as { name?: unknown }
    const hasName = typeof name === 'string' && name !== ''
    return {
      place: { file },
      values: { ...fields, name: hasName ? toStorable(name) : `#${fields.id}`, data }
    }
  } catch (error) {
    const fault = describeFault(error)
    if (fault !== undefined) return { place: { file }, problems: [unreadable(fault)] }
    const { place, problems } = locateMistake(error, data, 1)
    return { place: { ...place, file }, problems }
  }
}

/**
 * Reads a regular file, in UTF-8, without a byte order mark. A link could lead out of the folder, and opening a pipe could
 * wait for ever. Throws {@link Unreadable} or an error of the system.
 */
async function readText(file: string): Promise<string> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
  const handle = await open(file, flags)
  try {
    const found = await handle.stat()
    if (!found.isFile()) throw new Unreadable('this is not a regular file')
    if (found.size > maxFileSize) throw new Unreadable(`the file is longer than ${maxFileSize} bytes`)
    const bytes = await handle.readFile()
    if (!isUtf8(bytes)) throw new Unreadable('the file is not in UTF-8')
    return new TextDecoder().decode(bytes)
  } finally {
    await handle.close()
  }
}

/** Says why a file cannot be read; undefined if it was read. */
function describeFault(error: unknown): string | undefined {
  if (error instanceof Unreadable) return error.message
  const { code } = error as { code?: string }
  if (code === undefined) return undefined
  return code === 'ELOOP' ? 'symbolic links are not followed' : `the file cannot be read: ${code}`
}

/** Replaces what no database can store: U+0000 and lone surrogates. `data` keeps the original, since there it is escaped. */
const toStorable = (name: string): string => name.toWellFormed().replaceAll('\0', '\uFFFD')
