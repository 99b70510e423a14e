/**
 * Writes results as JSON. For a list or an object, graphql-js makes a new value of the selected fields, and for a text it
 * demands a string. So a resolver cannot return JSON that is already written. Instead, it returns an empty value, and
 * {@link serialize} puts the JSON from `operation.written` in the place of that value.
 */
import { type GraphQLResolveInfo, locatedError, responsePathAsArray } from 'graphql'
import { maxBytesTogether } from '../../db/templates/table/product-templates.ts'
import type { Result } from '../execute.ts'
import { type FieldReaders, UnreadList } from './compile.ts'
import type { Operation } from './operation.ts'

/** Characters and bytes per turn of the event loop. Node.js requests memory from the system for each larger buffer. */
const chunkLength = 2 ** 16

/** A JSON text that is written in pieces and stored as bytes. Its bytes count for the size of the result. */
class WrittenJson {
  readonly bytes: Buffer[] = []
  readonly #operation: Operation
  #text: string
  /** Bytes since the last turn. */
  #sinceTurn = 0

  constructor(operation: Operation, text = '') {
    this.#operation = operation
    this.#text = text
  }

  /** Adds a text of many pieces, with turns of the event loop in between. Throws RESULT_TOO_LARGE. */
  async add(pieces: Iterable<string | WrittenJson>): Promise<void> {
    for (const piece of pieces) {
      if (typeof piece === 'string') this.#text += piece
      else this.#addWritten(piece)
      if (this.#text.length + this.#sinceTurn < chunkLength) continue
      this.flush()
      this.#sinceTurn = 0
      await this.#operation.turn()
    }
  }

  /** Converts the text to bytes; call it at the end. Throws RESULT_TOO_LARGE. */
  flush(): void {
    if (this.#text === '') return
    const bytes = Buffer.from(this.#text)
    this.#text = ''
    this.#operation.addBytes(bytes.length)
    this.#sinceTurn += bytes.length
    this.bytes.push(bytes)
  }

  /** Adds a written text, whose bytes are already counted. */
  #addWritten({ bytes }: WrittenJson): void {
    this.flush()
    for (const some of bytes) {
      this.bytes.push(some)
      this.#sinceTurn += some.length
    }
  }
}

/** Writes the JSON that takes the place of a field in the response. Throws RESULT_TOO_LARGE. */
export async function writeField(
  operation: Operation,
  { path }: GraphQLResolveInfo,
  pieces: Iterable<string | WrittenJson>
): Promise<void> {
  const json = place(operation, responsePathAsArray(path))
  await json.add(pieces)
  json.flush()
}

/** Like {@link writeField} for a short text, but synchronous: thousands of promises would take much memory. */
export function writeShortField(operation: Operation, { path }: GraphQLResolveInfo, text: string): void {
  place(operation, responsePathAsArray(path), text).flush()
}

/** Begins a text that takes a place in the result. */
function place(operation: Operation, path: (string | number)[], text = ''): WrittenJson {
  const json = new WrittenJson(operation, text)
  operation.written.push({ path, json })
  return json
}

/**
 * Writes the list that a field returns. The list may be long, and the executor would hold all items as objects, so it gets an
 * empty list instead. Throws RESULT_TOO_LARGE, or what reading a field throws, with its location.
 */
export async function writeList(
  operation: Operation,
  info: GraphQLResolveInfo,
  fields: FieldReaders,
  batches: AsyncIterable<object[]> | Iterable<object[]>
): Promise<[]> {
  const path = responsePathAsArray(info.path)
  const json = place(operation, path)
  let count = 0
  const readItem = (item: object) =>
    fields.map(({ name, read }): [string, unknown] => {
      try {
        return [name, read(item)]
      } catch (error) {
        throw locatedError(error, info.fieldNodes, [...path, count, name])
      }
    })
  const writeItems = function* (items: object[]) {
    for (const item of items) {
      yield count === 0 ? '[' : ','
      // Not by assignment, because an alias may be `__proto__`.
      const value = Object.fromEntries(readItem(item))
      if (hasLongDocument(item)) yield* jsonPieces(value)
      else yield JSON.stringify(value)
      count++
    }
  }
  for await (const batch of batches) await json.add(writeItems(batch))
  await json.add([count > 0 ? ']' : '[]'])
  json.flush()
  return []
}

const hasLongDocument = (item: object): boolean => 'data' in item && isLong(item.data)

/**
 * Serializes a result piece by piece, so that the event loop can serve other requests in between. Inserts the texts that are
 * already written in their places. Throws RESULT_TOO_LARGE, or the reason why the operation has ended.
 */
export async function serialize(result: Result, operation: Operation): Promise<Buffer[]> {
  const { written, signal } = operation
  if ('data' in result) signal.throwIfAborted()
  for (const { path, json } of written) insert(json, result.data, path)
  const whole = new WrittenJson(operation)
  await whole.add(jsonPieces(result))
  whole.flush()
  return whole.bytes
}

/** Adds `extensions` to a serialized result. */
export function addExtensions(bytes: Buffer[], extensions: Record<string, unknown>): Buffer[] {
  const end = bytes.at(-1) as Buffer
  const added = `,"extensions":${JSON.stringify(extensions)}}`
  return [...bytes.slice(0, -1), end.subarray(0, -1), Buffer.from(added)]
}

type Values = { [key: string | number]: unknown }

/** Puts a written text in its place in the data. The place is missing if a field above it has failed. */
function insert(json: object, data: unknown, path: (string | number)[]): void {
  let parent = data as Values | null | undefined
  for (const key of path.slice(0, -1)) parent = parent?.[key] as Values | null | undefined
  if (parent) parent[path.at(-1) as string] = json
}

/** Yields a value as short pieces of JSON, and texts that are already written. */
export function* jsonPieces(value: unknown): Generator<string | WrittenJson> {
  if (value instanceof WrittenJson) yield value
  else if (value instanceof UnreadList) {
    yield '['
    for (const [index, item] of value.items.entries()) {
      if (index > 0) yield ','
      yield* jsonPieces(value.read(item))
    }
    yield ']'
  } else if (isFlat(value)) yield JSON.stringify(value)
  else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      yield index === 0 ? '[' : ','
      yield* jsonPieces(item)
    }
    yield ']'
  } else {
    for (const [index, [name, inner]] of Object.entries(value as Values).entries()) {
      yield `${index === 0 ? '{' : ','}${JSON.stringify(name)}:`
      yield* jsonPieces(inner)
    }
    yield '}'
  }
}

/** Whether a value contains no objects, lists or long texts, so that serializing it takes little time. */
const isFlat = (value: unknown): boolean =>
  !isObject(value) || !Object.values(value).some(inner => isObject(inner) || isLong(inner))

const isLong = (value: unknown): boolean => typeof value === 'string' && value.length > maxBytesTogether

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null
