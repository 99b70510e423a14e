import { GraphQLError, type GraphQLResolveInfo, locatedError, responsePathAsArray } from 'graphql'
import { maxBytesTogether } from '../../db/templates/table/product-templates.ts'
import type { Operation } from './operation.ts'
import type { Result } from './result.ts'
import { type FieldReaders, readObject } from './selection.ts'

/** Characters and bytes after which others have their turn. Node.js allocates larger buffers from the system each time. */
const chunkLength = 2 ** 16
/** Fields of an item that are written together: with aliases, each may repeat its document. */
const fieldsAtOnce = 20
/** Items that are written together, in half the time of one by one. */
const itemsAtOnce = 20

/** Whether it takes long to write a document. `data` is undefined if it is not selected. */
export const isLongDocument = (data: string | undefined): boolean =>
  data !== undefined && data.length > maxBytesTogether

/** JSON text that is made little by little and stored as bytes. Its bytes count for the size of the result. */
class WrittenJson {
  readonly bytes: Buffer[] = []
  readonly #operation: Operation
  /** Items of the list. */
  #items = 0
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
      if (this.#isFull) await this.#yield()
    }
    this.flush()
  }

  /**
   * Adds items of the list that a field returns, with turns of the event loop in between; does not end it. Throws
   * RESULT_TOO_LARGE, or what reading a field throws, with its location.
   */
  async addItems(items: object[], fields: FieldReaders, { path }: GraphQLResolveInfo): Promise<void> {
    const isLarge =
      fields.length > fieldsAtOnce ||
      items.some(item => 'data' in item && isLongDocument(item.data as string))
    const size = isLarge ? 1 : itemsAtOnce
    const read = (item: object) => {
      const object = readObject(fields, item)
      this.#items++
      return object
    }
    for (let start = 0; start < items.length; start += size) {
      const some = items.slice(start, start + size)
      this.add(this.#items === 0 ? '[' : ',')
      try {
        if (!isLarge) this.add(JSON.stringify(some.map(read)).slice(1, -1))
        else {
          await this.addPieces(writeFields(fields, some[0]))
          this.#items++
        }
      } catch (error) {
        if (!(error instanceof GraphQLError && error.path)) throw error
        throw locatedError(error.originalError, error.nodes, [path.key, this.#items, ...error.path])
      }
      if (this.#isFull) await this.#yield()
    }
  }

  /** Throws RESULT_TOO_LARGE. */
  endList(): void {
    this.add(this.#items > 0 ? ']' : '[]')
    this.flush()
  }

  get #isFull(): boolean {
    return this.#text.length + this.#sinceTurn > chunkLength
  }

  /** Converts the text to bytes and lets the event loop serve others. Throws RESULT_TOO_LARGE. */
  async #yield(): Promise<void> {
    this.flush()
    this.#sinceTurn = 0
    await this.#operation.turn()
  }

  /** Converts the text to bytes. Throws RESULT_TOO_LARGE. */
  flush(): void {
    if (this.#text === '') return
    const text = this.#text
    this.#text = ''
    this.#addBytes(Buffer.from(text))
  }

  #addBytes(bytes: Buffer): void {
    this.#operation.addBytes(bytes.length)
    this.#sinceTurn += bytes.length
    this.bytes.push(bytes)
  }

  /** Adds what is already counted. */
  #addWritten({ bytes }: WrittenJson): void {
    this.flush()
    for (const some of bytes) {
      this.bytes.push(some)
      this.#sinceTurn += some.length
    }
  }
}

/** Writes the fields of an object one by one. For objects of which the whole would take much memory. */
function* writeFields(fields: FieldReaders, value: unknown): Generator<string | WrittenJson> {
  yield '{'
  for (const [index, { name, read }] of fields.entries()) {
    yield `${index === 0 ? '' : ','}${JSON.stringify(name)}:`
    yield* jsonPieces(read(value))
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
  await json.addPieces(jsonPieces(result))
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
export function* jsonPieces(value: unknown): Generator<string | WrittenJson> {
  if (value instanceof WrittenJson) yield value
  else if (isFlat(value)) yield JSON.stringify(value)
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

/** Whether a value has no objects and no lists inside. */
const isFlat = (value: unknown): boolean =>
  !isObject(value) || !Object.values(value).some(inner => isObject(inner))

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null
