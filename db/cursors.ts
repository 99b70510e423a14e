/** Opaque texts for places in lists. Functions that read a cursor return undefined for a cursor of another list. */
import { maxInt } from '../domain/columns.ts'

/** Makes the cursor of a change from its position; 0 is before the first change. It is also the id of the SSE event. */
export const toChangeCursor = (position: number): string => encodeCursor(`changes:1:${position}`)

export const fromChangeCursor = (cursor: string): number | undefined =>
  decodeNumber(cursor, /^changes:1:(0|[1-9]\d{0,14})$/)

export const toRevisionCursor = ({ number }: { number: number }): string => encodeCursor(`revision:${number}`)

export function fromRevisionCursor(cursor: string): number | undefined {
  const number = decodeNumber(cursor, /^revision:([1-9]\d{0,9})$/)
  return number !== undefined && number <= maxInt ? number : undefined
}

/** Makes the cursor of a bulk change, or of one of its revisions, by the sequence number. */
export const toBulkChangeCursor = (sequence: number): string => encodeCursor(`bulkChange:${sequence}`)

export const fromBulkChangeCursor = (cursor: string): number | undefined =>
  decodeNumber(cursor, /^bulkChange:([1-9]\d{0,14})$/)

/** Makes a cursor of a text. Each list begins its texts with a word of its own. */
export const encodeCursor = (text: string): string => Buffer.from(text).toString('base64url')

/** Decodes a cursor and returns the number that the group of the pattern matches. */
export function decodeNumber(cursor: string, pattern: RegExp): number | undefined {
  const number = decodeCursor(cursor, pattern)
  return number === undefined ? undefined : Number(number)
}

/** Decodes a cursor and returns the text that the group of the pattern matches. */
export function decodeCursor(cursor: string, pattern: RegExp): string | undefined {
  const text = Buffer.from(cursor, 'base64url').toString()
  // Decoding ignores characters outside the alphabet of base64url.
  return encodeCursor(text) === cursor ? pattern.exec(text)?.[1] : undefined
}
