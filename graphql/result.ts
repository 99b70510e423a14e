/** The result of an operation, and its JSON. */
import { isMainThread } from 'node:worker_threads'
import type { GraphQLFormattedError } from 'graphql'
import { resultTooLarge } from './errors.ts'

/** GraphQL §7.1: without `data` if nothing was executed. */
export interface Result {
  data?: unknown
  errors?: GraphQLFormattedError[] | undefined
}

/**
 * A JSON text, or the bytes of a longer one in pieces. A text takes less time, because V8 collects the memory of bytes
 * at great cost. A body in pieces is never short. A worker thread shares the memory of its pieces.
 */
export type Body = string | Uint8Array[]

/** Characters of a text that is not cut into pieces. */
const longestText = 2 ** 22

/** Serializes a result. Throws RESULT_TOO_LARGE if it has more bytes than `max`. */
export const toJson = (result: object, max: number): string => checkLength(stringify(result, max), max)

function checkLength(text: string, max: number): string {
  // A character has at most three bytes.
  if (text.length * 3 > max && Buffer.byteLength(text) > max) throw resultTooLarge(max)
  return text
}

function stringify(value: unknown, max: number): string {
  try {
    return JSON.stringify(value)
  } catch (error) {
    // The JSON does not fit into a string.
    throw error instanceof RangeError ? resultTooLarge(max) : error
  }
}

/**
 * Serializes a result item by item, because the text of all may be too large for the heap. Throws RESULT_TOO_LARGE.
 */
export function toBody(result: object, max: number): Body {
  const pieces: Uint8Array[] = []
  let bytes = 0
  let text = ''
  const flush = () => {
    const piece = isMainThread ? Buffer.from(text) : toSharedBytes(text)
    text = ''
    bytes += piece.length
    if (bytes > max) throw resultTooLarge(max)
    pieces.push(piece)
  }
  for (const part of listParts(result, max)) {
    text += part
    if (text.length > longestText) flush()
  }
  if (pieces.length === 0) return checkLength(text, max)
  if (text !== '') flush()
  return pieces
}

/** Returns the bytes of a text in memory that the service's thread gets without a copy. */
function toSharedBytes(text: string): Buffer {
  const bytes = Buffer.from(new SharedArrayBuffer(Buffer.byteLength(text)))
  bytes.write(text)
  return bytes
}

/** Yields the JSON of a value in parts: each item of a list is a part. */
function* listParts(value: unknown, max: number): Generator<string> {
  if (Array.isArray(value)) {
    yield '['
    for (const [index, item] of value.entries()) yield (index > 0 ? ',' : '') + stringify(item, max)
    yield ']'
  } else if (typeof value === 'object' && value !== null) {
    let before = '{'
    for (const [name, inner] of Object.entries(value)) {
      if (inner === undefined) continue
      yield `${before}${JSON.stringify(name)}:`
      yield* listParts(inner, max)
      before = ','
    }
    yield before === '{' ? '{}' : '}'
  } else yield stringify(value, max)
}

/** Returns a body as bytes. */
export const toBuffers = (body: Body): Uint8Array[] => (typeof body === 'string' ? [Buffer.from(body)] : body)

/** Adds `extensions` to a serialized result. */
export function addExtensions(body: Body, extensions: Record<string, unknown>): Body {
  const added = `,"extensions":${JSON.stringify(extensions)}}`
  if (typeof body === 'string') return body.slice(0, -1) + added
  const end = body.at(-1) as Uint8Array
  return [...body.slice(0, -1), new TextEncoder().encode(new TextDecoder().decode(end).slice(0, -1) + added)]
}

/** Returns the number of bytes of a body. */
export const countBodyBytes = (body: Body): number =>
  typeof body === 'string' ? Buffer.byteLength(body) : body.reduce((sum, { length }) => sum + length, 0)
