import { constants, createReadStream } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import type { ImportProblem, ImportRecord } from '../../db/templates/import/import.ts'
import { UsageError } from '../terminal/command.ts'
import { type Format, type Input, type Place, Unreadable, unreadable } from './format.ts'

/** Opens a file; `-` is standard input. Throws UsageError if it cannot be read. */
export async function openFile(path: string, format: Format): Promise<Input> {
  const isPipe = path === '-'
  const file = isPipe ? 'standard input' : path
  const open = () => (isPipe ? process.stdin : createReadStream(path))
  return {
    size: isPipe ? 0 : await measure(path),
    read: count => readRecords(file, format.read(countBytes(open(), count)))
  }
}

/** Returns the size of a file, 0 for a pipe; throws UsageError if it cannot be read. */
async function measure(file: string): Promise<number> {
  try {
    // Not opened: the writer of a named pipe would see its reader go.
    await access(file, constants.R_OK)
    const found = await stat(file)
    if (found.isDirectory()) throw new UsageError(`${file} is a directory`)
    return found.isFile() ? found.size : 0
  } catch (error) {
    if (error instanceof UsageError) throw error
    throw new UsageError(`cannot read ${file}: ${(error as { code?: string }).code}`)
  }
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
    if (!(error instanceof Unreadable)) throw error
    yield { place: { ...error.place, file }, problems: [unreadable(error.message)], unreadable: true }
  }
}

/** Reads the records of inputs. `progress` is called with KiB, if the sizes are known. */
export async function* readInputs(
  inputs: Input[],
  progress: (done: number, total: number) => void
): AsyncGenerator<ImportRecord<Place>> {
  const total = inputs.some(({ size }) => size === 0) ? 0 : inputs.reduce((sum, { size }) => sum + size, 0)
  let done = 0
  const count = (bytes: number) => {
    done += bytes
    if (total > 0) progress(Math.ceil(Math.min(done, total) / 1024), Math.ceil(total / 1024))
  }
  for (const { read } of inputs) yield* read(count)
}

/** Formats the place of a problem: `file:line:column`; the file alone if it is one record. */
export function formatPlace(problem: ImportProblem<Place>): string {
  const { file, line } = problem.place
  const column = findColumn(problem)
  const name = typeof column === 'string' ? ` column ${column}` : ''
  if (line === undefined) return file
  return `${file}:${line}${typeof column === 'number' ? `:${column}` : ''}${name}`
}

export const findColumn = ({ place, ...problem }: ImportProblem<Place>): string | number | undefined =>
  place.findColumn?.(problem) ?? place.column
