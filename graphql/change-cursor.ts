/** Cursors of the feed of changes, in GraphQL and in the ids of events. They differ from those of templates. */
const pattern = /^changes:1:(0|[1-9]\d{0,14})$/

/** Makes the cursor of a change from its position; 0 is before the first one. */
export const toChangeCursor = (position: number): string =>
  Buffer.from(`changes:1:${position}`).toString('base64url')

/** Returns the position of a cursor; undefined if it is not one of this feed. */
export function fromChangeCursor(cursor: string): number | undefined {
  const [, position] = pattern.exec(Buffer.from(cursor, 'base64url').toString('latin1')) ?? []
  // Decoding skips characters that are not of its alphabet.
  return position !== undefined && toChangeCursor(Number(position)) === cursor ? Number(position) : undefined
}
