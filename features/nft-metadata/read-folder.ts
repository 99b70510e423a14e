import { isUtf8 } from 'node:buffer'
import { constants } from 'node:fs'
import { lstat, open, opendir } from 'node:fs/promises'
import { join } from 'node:path'
import { toStorable } from '../../db/templates/filter/keys.ts'
import type { ImportRecord } from '../../db/templates/import/report.ts'
import { type DefaultValues, defaultValues } from '../../domain/columns.ts'
import { FormatError } from '../../domain/format-error.ts'
import { makeProblem } from '../../domain/validation/problem.ts'
import { UsageError } from '../../terminal/command.ts'
import { type Input, locateMistake, type Place } from '../../terminal/file-format.ts'
import { DroppedKeys } from './dropped-keys.ts'

/** The fields that metadata does not have. Metadata is public, so templates are public, too. */
const defaults: DefaultValues = { ...defaultValues, publicProduct: true }

/** Maximum size of a file in bytes. */
const maxFileBytes = 2 ** 23

/**
 * Opens a folder of metadata. Each file whose name is an id becomes a template, with `fields` for the fields that
 * metadata does not have. Throws UsageError if no file has such a name, or if the folder cannot be read.
 */
export async function openFolder(path: string, fields: Partial<DefaultValues>): Promise<Input> {
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
    async *read(count, { note }) {
      const dropped = new DroppedKeys()
      for (const { file, id, size } of files) {
        const record = await readRecord(file, { id, ...defaults, ...fields })
        const { data } = (record.values ?? {}) as { data?: string }
        if (data !== undefined) {
          count(size)
          dropped.add(data)
        }
        yield record
      }
      const names = dropped.describe()
      if (names !== '') note(`${path}: stored, but not part of metadata: ${names}`)
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
      // If the file has been removed, reading it later reports the problem.
      const { size } = await lstat(file).catch(() => ({ size: 0 }))
      files.push({ file, id, size })
    }
  }
  files.sort((a, b) => a.id - b.id || (a.file < b.file ? -1 : 1))
  return { files, ignored }
}

/** Reads the id in a file name: decimal, or 64 hexadecimal digits as in EIP-1155. It may be too large. */
function readId(name: string): number | undefined {
  const [, digits = ''] = /^([\da-f]+)(?:\.json)?$/i.exec(name) ?? []
  if (digits.length === 64) return Number.parseInt(digits, 16)
  return /^\d+$/.test(digits) ? Number(digits) : undefined
}

/** Makes a record with the text of the file as `data`. */
async function readRecord(
  file: string,
  fields: DefaultValues & { id: number }
): Promise<ImportRecord<Place>> {
  let data = ''
  try {
    data = await readText(file)
    const { name } = (JSON.parse(data) ?? {}) as { name?: unknown }
    const hasName = typeof name === 'string' && name !== ''
    // `data` keeps characters that no database can store, because they are escaped there.
    return {
      place: { file },
      values: { ...fields, name: hasName ? toStorable(name) : `#${fields.id}`, data }
    }
  } catch (error) {
    const fault = describeFault(error)
    if (fault !== undefined) return { place: { file }, problems: [makeProblem('UNREADABLE', fault)] }
    const { place, problems } = locateMistake(error, data, 1)
    return { place: { ...place, file }, problems }
  }
}

/**
 * Reads a regular file in UTF-8, without its byte order mark. Refuses links, which may lead out of the folder, and
 * pipes, on which `open` may wait for ever. Throws {@link FormatError} or a system error.
 */
async function readText(file: string): Promise<string> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
  const handle = await open(file, flags)
  try {
    const found = await handle.stat()
    if (!found.isFile()) throw new FormatError('this is not a regular file')
    if (found.size > maxFileBytes) throw new FormatError(`the file is longer than ${maxFileBytes} bytes`)
    const bytes = await handle.readFile()
    if (!isUtf8(bytes)) throw new FormatError('the file is not in UTF-8')
    return new TextDecoder().decode(bytes)
  } finally {
    await handle.close()
  }
}

/** Describes why a file cannot be read; undefined if reading was not the problem. */
function describeFault(error: unknown): string | undefined {
  if (error instanceof FormatError) return error.message
  const { code } = error as { code?: string }
  if (code === undefined) return undefined
  return code === 'ELOOP' ? 'symbolic links are not followed' : `the file cannot be read: ${code}`
}
