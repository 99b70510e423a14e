/** Opaque texts for places in the feed of changes and in the revisions of a template. */
import { maxInt } from '../table/columns.ts'

/** Makes the cursor of a change from its position; 0 is before the first change. Ids of events are the same cursors. */
export const toChangeCursor = (position: number): string => encode(`changes:1:${position}`)

/** Returns the position of a cursor; undefined if it does not belong to the feed of changes. */
export const fromChangeCursor = (cursor: string): number | undefined =>
  decode(cursor, /^changes:1:(0|[1-9]\d{0,14})$/)

export const toRevisionCursor = ({ number }: { number: number }): string => encode(`revision:${number}`)

/** Returns the number of a revision; undefined if the cursor does not belong to revisions. */
export function fromRevisionCursor(cursor: string): number | undefined {
  const number = decode(cursor, /^revision:([1-9]\d{0,9})$/)
  return number !== undefined && number <= maxInt ? number : undefined
}

const encode = (text: string): string => Buffer.from(text).toString('base64url')

function decode(cursor: string, pattern: RegExp): number | undefined {
  const text = Buffer.from(cursor, 'base64url').toString('latin1')
  const [, number] = pattern.exec(text) ?? []
  // Decoding ignores characters that are not in its alphabet.
  return number !== undefined && encode(text) === cursor ? Number(number) : undefined
}
