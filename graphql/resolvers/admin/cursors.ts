import { isName } from '../../../db/text.ts'
import { badInput } from '../../errors.ts'

type Listed = 'user' | 'event'

/** Makes the cursor of a place in a list: the e-mail address of a user, the sequence of an event. */
export const toCursor = (listed: Listed, place: string | number): string =>
  Buffer.from(`${listed}:${place}`).toString('base64url')

/** Returns the place of a cursor. Throws BAD_USER_INPUT if it is none of this list. */
export function fromCursor(listed: Listed, cursor: string | undefined): string | undefined {
  if (cursor === undefined) return undefined
  const text = Buffer.from(cursor, 'base64url').toString()
  const place = text.slice(listed.length + 1)
  const isPlace = listed === 'event' ? /^[1-9]\d{0,14}$/.test(place) : isName(place.slice(0, 255))
  if (toCursor(listed, place) !== cursor || !isPlace) throw badInput('the cursor is not valid')
  return place
}
