/** Opaque texts for places in lists. Functions that read a cursor return undefined for a cursor of another list. */
import { maxInt } from '../domain/columns.ts'

/** Makes the cursor of a change from its position; 0 is before the first change. It is also the id of the SSE event. */
export const toChangeCursor = (position: number): string => encode(`changes:1:${position}`)

export const fromChangeCursor = (cursor: string): number | undefined =>
  decodeNumber(cursor, /^changes:1:(0|[1-9]\d{0,14})$/)

export const toRevisionCursor = ({ number }: { number: number }): string => encode(`revision:${number}`)

export function fromRevisionCursor(cursor: string): number | undefined {
  const number = decodeNumber(cursor, /^revision:([1-9]\d{0,9})$/)
  return number !== undefined && number <= maxInt ? number : undefined
}

/** Makes the cursor of a bulk change, or of one of its revisions, by the sequence number. */
export const toBulkChangeCursor = (sequence: number): string => encode(`bulkChange:${sequence}`)

export const fromBulkChangeCursor = (cursor: string): number | undefined =>
  decodeNumber(cursor, /^bulkChange:([1-9]\d{0,14})$/)

/** Makes the cursor of an event of the audit trail. */
export const toEventCursor = (sequence: number): string => encode(`event:${sequence}`)

export const fromEventCursor = (cursor: string): number | undefined =>
  decodeNumber(cursor, /^event:([1-9]\d{0,14})$/)

export const toUserCursor = ({ email }: { email: string }): string => encode(`user:${email}`)

/** Returns the e-mail address. */
export const fromUserCursor = (cursor: string): string | undefined => decode(cursor, /^user:([^\0]*)$/)

const encode = (text: string): string => Buffer.from(text).toString('base64url')

function decodeNumber(cursor: string, pattern: RegExp): number | undefined {
  const number = decode(cursor, pattern)
  return number === undefined ? undefined : Number(number)
}

/** Decodes a cursor and returns the text that the group of the pattern matches. */
function decode(cursor: string, pattern: RegExp): string | undefined {
  const text = Buffer.from(cursor, 'base64url').toString()
  // Decoding ignores characters outside the alphabet of base64url.
  return encode(text) === cursor ? pattern.exec(text)?.[1] : undefined
}
