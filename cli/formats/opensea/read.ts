import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import type { ImportRecord } from '../../../db/templates/import/import.ts'
import { type Input, type Place, unreadable } from '../format.ts'
import { locateMistake } from '../record-text.ts'
import { listFolder, type MetadataFile } from './list.ts'
import { defaultFields, type OwnFields } from './options.ts'

/** Maximum bytes of a file. */
const maxFileSize = 2 ** 23

/** Opens a folder of metadata. Each file becomes a template; `fields` are what it does not say. Throws UsageError. */
export async function openFolder(path: string, fields: Partial<OwnFields>): Promise<Input> {
  const { files, size, ignored } = await listFolder(path)
  return {
    size,
    ignored,
    async *read(count) {
      for (const file of files) yield await readRecord(path, file, { ...defaultFields, ...fields }, count)
    }
  }
}

async function readRecord(
  folder: string,
  { name, id }: MetadataFile,
  fields: OwnFields,
  count: (bytes: number) => void
): Promise<ImportRecord<Place>> {
  const file = join(folder, name)
  try {
    const bytes = await readBytes(file)
    count(bytes.length)
    return toRecord(file, decode(bytes), { id, ...fields })
  } catch (error) {
    return { place: { file }, problems: [unreadable(describeError(error))] }
  }
}

/** The file cannot be a template. */
class Unsuitable extends Error {}

/** Reads a regular file. A link could lead out of the folder, and opening a pipe could wait for ever. */
async function readBytes(file: string): Promise<Uint8Array> {
  const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    const found = await handle.stat()
    if (!found.isFile()) throw new Unsuitable('this is not a regular file')
    if (found.size > maxFileSize) throw new Unsuitable(`the file is longer than ${maxFileSize} bytes`)
    return await handle.readFile()
  } finally {
    await handle.close()
  }
}

/** Decodes UTF-8, without a byte order mark. */
function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (error) {
    throw new Unsuitable('the file is not in UTF-8', { cause: error })
  }
}

function describeError(error: unknown): string {
  if (error instanceof Unsuitable) return error.message
  const { code } = error as { code?: string }
  if (code === undefined) throw error
  return code === 'ELOOP' ? 'symbolic links are not followed' : `the file cannot be read: ${code}`
}

/** Makes a record with the text of the file as `data`. */
function toRecord(file: string, data: string, fields: OwnFields & { id: number }): ImportRecord<Place> {
  try {
    const { name } = (JSON.parse(data) ?? {}) as { name?: unknown }
    const hasName = typeof name === 'string' && name !== ''
    const values = { ...fields, name: hasName ? toStorable(name) : `#${fields.id}`, data }
    return { place: { file }, values }
  } catch (error) {
    const { place, problems } = locateMistake(error, data, 1)
    return { place: { ...place, file }, problems }
  }
}

/** Replaces what no database can store: U+0000 and lone surrogates. `data` keeps the original, since there it is escaped. */
const toStorable = (name: string): string => name.toWellFormed().replaceAll('\0', '\uFFFD')
