/** JSON that is written piece by piece, so that the event loop can serve other requests in between. */
import { type GraphQLResolveInfo, responsePathAsArray } from 'graphql'
import { resultKilobyteCost } from '../../db/templates/costs.ts'
import { maxBytesTogether } from '../../db/templates/table/product-templates.ts'
import { makeError } from '../errors.ts'
import type { Execution } from './execution.ts'

/** Characters and bytes per turn of the event loop. Node.js requests memory from the system for each larger buffer. */
const chunkLength = 2 ** 16

type Pieces = Iterable<string | WrittenJson>

/** A list that may be long: each item is read when it is written. */
export class UnreadList {
  readonly items: unknown[]
  readonly read: (item: unknown) => unknown

  constructor(items: unknown[], read: (item: unknown) => unknown) {
    this.items = items
    this.read = read
  }

  toJSON(): unknown[] {
    return this.items.map(this.read)
  }
}

/** The result of an execution as JSON. Its size is bounded, and fields may write their part of it. */
export class ResultJson {
  readonly #execution: Execution
  /** The written fields, and their places in the data: `['products', 'nodes', 0, 'document']`. */
  readonly #fields: { path: (string | number)[]; json: WrittenJson }[] = []
  #bytes = 0

  constructor(execution: Execution) {
    this.#execution = execution
  }

  /**
   * Begins the JSON of a field, for its resolver to add to. graphql-js makes new values of lists and objects, so a resolver
   * cannot return JSON: it returns an empty value.
   */
  writeField({ path }: GraphQLResolveInfo): WrittenJson {
    const json = new WrittenJson(this)
    this.#fields.push({ path: responsePathAsArray(path), json })
    return json
  }

  /** Serializes the response, with the written fields. Throws RESULT_TOO_LARGE, or why the execution has ended. */
  async serialize(response: { data?: unknown }): Promise<Buffer[]> {
    for (const { path, json } of this.#fields) insert(json, response.data, path)
    const whole = new WrittenJson(this)
    await whole.addPieces(jsonPieces(response))
    return whole.bytes
  }

  /** Counts bytes. Throws RESULT_TOO_LARGE, or what `takeMemory` throws. */
  addBytes(bytes: number): void {
    const { operation, settings } = this.#execution
    const maxSize = settings.graphqlMaxResultSize
    this.#bytes += bytes
    operation.cost.actual += (bytes / 1024) * resultKilobyteCost
    try {
      if (this.#bytes > maxSize) throw tooLarge(maxSize)
      operation.input.takeMemory(bytes)
    } catch (error) {
      this.#execution.fail(error)
    }
  }

  /** Gives back the memory of a result that nobody gets. */
  discard(): void {
    this.#execution.operation.input.takeMemory(-this.#bytes)
  }

  turn(): Promise<void> {
    return this.#execution.turn()
  }
}

const tooLarge = (max: number) =>
  makeError(`the result exceeds ${max} bytes; request less`, 'RESULT_TOO_LARGE')

/** A JSON text that is written in pieces and stored as bytes. Its bytes count for the size of the result. */
class WrittenJson {
  readonly bytes: Buffer[] = []
  readonly #result: ResultJson
  #text = ''
  /** Bytes since the last turn. */
  #sinceTurn = 0

  constructor(result: ResultJson) {
    this.#result = result
  }

  /** Adds a text at once. Throws RESULT_TOO_LARGE. */
  add(text: string): void {
    this.#text += text
    this.#flush()
  }

  /** Adds many pieces, with turns of the event loop in between. Throws RESULT_TOO_LARGE. */
  async addPieces(pieces: Pieces): Promise<void> {
    for (const piece of pieces) {
      if (typeof piece === 'string') this.#text += piece
      else this.#addWritten(piece)
      if (this.#text.length + this.#sinceTurn < chunkLength) continue
      this.#flush()
      this.#sinceTurn = 0
      await this.#result.turn()
    }
    this.#flush()
  }

  /** Converts the text to bytes. Throws RESULT_TOO_LARGE. */
  #flush(): void {
    if (this.#text === '') return
    const bytes = Buffer.from(this.#text)
    this.#text = ''
    this.#result.addBytes(bytes.length)
    this.#sinceTurn += bytes.length
    this.bytes.push(bytes)
  }

  /** Adds a written text, whose bytes are already counted. */
  #addWritten({ bytes }: WrittenJson): void {
    this.#flush()
    for (const some of bytes) {
      this.bytes.push(some)
      this.#sinceTurn += some.length
    }
  }
}

/** Adds `extensions` to a serialized result. */
export function addExtensions(bytes: Buffer[], extensions: Record<string, unknown>): Buffer[] {
  const end = bytes.at(-1) as Buffer
  const added = `,"extensions":${JSON.stringify(extensions)}}`
  return [...bytes.slice(0, -1), end.subarray(0, -1), Buffer.from(added)]
}

type Values = { [key: string | number]: unknown }

/** Puts a written text in its place in the data. The place is missing if a field above it has failed. */
function insert(json: WrittenJson, data: unknown, path: (string | number)[]): void {
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
  !isObject(value) || !Object.values(value).some(inner => isObject(inner) || isLongText(inner))

export const isLongText = (value: unknown): boolean =>
  typeof value === 'string' && value.length > maxBytesTogether

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null
