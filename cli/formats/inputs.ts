import { constants, createReadStream, type Stats } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import type { ImportRecord } from '../../db/templates/import/report.ts'
import { FormatError } from '../../domain/format-error.ts'
import { makeProblem } from '../../domain/validation/problem.ts'
import { UsageError } from '../../terminal/command.ts'
import type { Format, GivenFile, Input, OpenImport, Place, Reading } from '../../terminal/file-format.ts'
import { selectExtension } from './formats.ts'

/** Finds files and folders and their formats; `-` is standard input. Throws UsageError. */
export async function findFiles(paths: string[], format: string | undefined): Promise<GivenFile[]> {
  if (paths.filter(path => path === '-').length > 1)
    throw new UsageError('- is standard input: give it only once')
  const find = async (path: string): Promise<GivenFile> => {
    const found = path === '-' ? undefined : await stat(path).catch(throwUnreadable(path))
    return {
      path,
      name: path === '-' ? 'standard input' : path,
      extension: selectExtension(path, format, found?.isDirectory() ?? false),
      async open() {
        await checkReadable(path)
        return openBytes(path)
      }
    }
  }
  return Promise.all(paths.map(find))
}

/** Opens files and folders. Throws UsageError. */
export const openInputs = (files: GivenFile[], { openFolder }: OpenImport): Promise<Input[]> =>
  Promise.all(
    files.map(async file =>
      file.extension === undefined ? openFolder!(file.path) : openFile(file, file.extension)
    )
  )

/** Opens a file. Throws UsageError if it cannot be read. */
async function openFile({ path, name }: GivenFile, extension: string): Promise<Input> {
  const found = await checkReadable(path)
  return {
    size: found?.isFile() ? found.size : 0,
    read(count, { readers, note }) {
      const read = readers[extension] as Format['read']
      const bytes = countBytes(openBytes(path), count)
      return readRecords(
        name,
        read(bytes, message => note(`${name}: ${message}`), name)
      )
    }
  }
}

const openBytes = (path: string): AsyncIterable<Uint8Array> =>
  path === '-' ? process.stdin : createReadStream(path)

/** Throws UsageError for a path that is not a readable file. Returns undefined for standard input. */
async function checkReadable(path: string): Promise<Stats | undefined> {
  if (path === '-') return undefined
  const found = await access(path, constants.R_OK)
    // The file is not opened here, because closing a named pipe would end its writer.
    .then(() => stat(path))
    .catch(throwUnreadable(path))
  if (found.isDirectory()) throw new UsageError(`${path} is a directory`)
  return found
}

const throwUnreadable =
  (path: string) =>
  ({ code }: { code?: string }): never => {
    throw new UsageError(`cannot read ${path}: ${code}`)
  }

async function* countBytes(bytes: AsyncIterable<Uint8Array>, count: (bytes: number) => void) {
  for await (const chunk of bytes) {
    yield chunk
    count(chunk.length)
  }
}

async function* readRecords(
  file: string,
  records: ReturnType<Format['read']>
): AsyncGenerator<ImportRecord<Place>> {
  try {
    for await (const { place, ...record } of records) yield { ...record, place: { ...place, file } }
  } catch (error) {
    if (!(error instanceof FormatError)) throw error
    const { message, line, column } = error
    yield { place: { file, line, column }, problems: [makeProblem('UNREADABLE', message)], unreadable: true }
  }
}

/** Reads the records of inputs. If all sizes are known, calls `progress` with KiB. */
export async function* readInputs(
  inputs: Input[],
  reading: Reading,
  progress: (done: number, total: number) => void
): AsyncGenerator<ImportRecord<Place>> {
  const total = inputs.some(({ size }) => size === 0) ? 0 : inputs.reduce((sum, { size }) => sum + size, 0)
  let done = 0
  const count = (bytes: number) => {
    done += bytes
    if (total > 0) progress(Math.ceil(Math.min(done, total) / 1024), Math.ceil(total / 1024))
  }
  for (const { read } of inputs) yield* read(count, reading)
}
