import { type GraphQLResolveInfo, responsePathAsArray } from 'graphql'
import type { Operation } from './operation.ts'
import type { Result } from './result.ts'
import type { FieldReaders } from './selection.ts'

/** Characters and bytes after which others have their turn. Node.js allocates larger buffers from the system each time. */
const chunkLength = 2 ** 16
/** Short items of a list that are written together. */
export const itemsAtOnce = 20
/** In UTF-8. */
const comma = 0x2c
/** Characters of a document that is written in pieces. */
const longDocument = 2 ** 15

/** Whether it takes long to write a document. `data` is undefined if it is not selected. */
export const isLong = (data: string | undefined): boolean => data !== undefined && data.length > longDocument

/** JSON text that is made little by little and stored as bytes. Its bytes count for the size of the result. */
export class WrittenJson {
  readonly bytes: Buffer[] = []
  readonly #operation: Operation
  #text = ''
  /** Bytes since the last turn. */
  #sinceTurn = 0

  constructor(operation: Operation) {
    this.#operation = operation
  }

  add(text: string): void {
    this.#text += text
  }

  /** Adds a text of many pieces, with turns of the event loop in between. Throws RESULT_TOO_LARGE. */
  async addPieces(pieces: Iterable<string | WrittenJson>): Promise<void> {
    for (const piece of pieces) {
      if (typeof piece === 'string') this.add(piece)
      else this.#addWritten(piece)
      await this.flushIfFull()
    }
    this.end()
  }

  /**
   * Adds items of a list after `count` others, a few of them at a time, with turns in between; begins the list with the
   * first, and does not end it. Throws RESULT_TOO_LARGE.
   */
  async addItems<Item>(items: Item[], count: number, read: (item: Item) => unknown, atOnce = itemsAtOnce) {
    for (let start = 0; start < items.length; start += atOnce) {
      this.end()
      const bytes = Buffer.from(JSON.stringify(items.slice(start, start + atOnce).map(read)).slice(0, -1))
      if (count + start > 0) bytes[0] = comma
      this.#addBytes(bytes)
      await this.flushIfFull()
    }
  }

  /** Ends a list of `count` items. Throws RESULT_TOO_LARGE. */
  endList(count: number): void {
    this.add(count > 0 ? ']' : '[]')
    this.end()
  }

  /** From time to time, converts the text to bytes and lets the event loop serve others. Throws RESULT_TOO_LARGE. */
  async flushIfFull(): Promise<void> {
    if (this.#text.length + this.#sinceTurn <= chunkLength) return
    this.end()
    this.#sinceTurn = 0
    await this.#operation.turn()
  }

  /** Converts the text to bytes. Throws RESULT_TOO_LARGE. */
  end(): void {
    if (this.#text === '') return
    const text = this.#text
    this.#text = ''
    this.#addBytes(Buffer.from(text))
  }

  #addBytes(bytes: Buffer): void {
    this.#operation.count(bytes.length)
    this.#sinceTurn += bytes.length
    this.bytes.push(bytes)
  }

  /** Adds what is already counted. */
  #addWritten({ bytes }: WrittenJson): void {
    this.end()
    for (const some of bytes) {
      this.bytes.push(some)
      this.#sinceTurn += some.length
    }
  }
}

/** Writes the fields of an object one by one. For objects of which the whole would take much memory. */
export function* writeFields(fields: FieldReaders, value: unknown): Generator<string | WrittenJson> {
  yield '{'
  for (const [index, { name, read }] of fields.entries()) {
    yield `${index === 0 ? '' : ','}${JSON.stringify(name)}:`
    yield* takeApart(read(value))
  }
  yield '}'
}

/** Begins the JSON that takes the place of a field in the response. */
export function writeField(operation: Operation, { path }: GraphQLResolveInfo): WrittenJson {
  const json = new WrittenJson(operation)
  operation.written.push({ path: responsePathAsArray(path), json })
  return json
}

/**
 * Serializes a result piece by piece, so that the event loop can serve other requests in between. JSON that is already
 * written is inserted in its place. Throws RESULT_TOO_LARGE, or the reason for which the operation has
 * ended.
 */
export async function serialize(result: Result, operation: Operation): Promise<Buffer[]> {
  const { written, signal } = operation
  if ('data' in result) signal.throwIfAborted()
  const json = new WrittenJson(operation)
  for (const { path, json } of written) insert(json, result.data, path)
  await json.addPieces(takeApart(result))
  return json.bytes
}

/** Adds `extensions` to a serialized result. */
export function addExtensions(bytes: Buffer[], extensions: Record<string, unknown>): Buffer[] {
  const end = bytes.at(-1) as Buffer
  const added = `,"extensions":${JSON.stringify(extensions)}}`
  return [...bytes.slice(0, -1), end.subarray(0, -1), Buffer.from(added)]
}

type Values = { [key: string | number]: unknown }

/** Puts JSON in its place in the data. The place is gone if a field above it has failed. */
function insert(json: object, data: unknown, path: (string | number)[]): void {
  let parent = data as Values | null | undefined
  for (const key of path.slice(0, -1)) parent = parent?.[key] as Values | null | undefined
  if (parent) parent[path.at(-1) as string] = json
}

/** Yields a value in short pieces of JSON, and what is already written. */
export function* takeApart(value: unknown): Generator<string | WrittenJson> {
  if (value instanceof WrittenJson) yield value
  else if (isFlat(value)) yield JSON.stringify(value)
  else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      yield index === 0 ? '[' : ','
      yield* takeApart(item)
    }
    yield ']'
  } else {
    for (const [index, [name, inner]] of Object.entries(value as Values).entries()) {
      yield `${index === 0 ? '{' : ','}${JSON.stringify(name)}:`
      yield* takeApart(inner)
    }
    yield '}'
  }
}

/** Whether a value has no objects and no lists inside. */
const isFlat = (value: unknown): boolean =>
  !isObject(value) || !Object.values(value).some(inner => isObject(inner))

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null
