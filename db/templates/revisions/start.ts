import { ArgumentError } from '../../../errors.ts'
import { fromChangeCursor } from '../../cursors.ts'
import type { Db } from '../../schema.ts'
import { findLastPosition, publishAll } from './changes.ts'

/**
 * Returns the position after which a stream begins: that of a cursor; 0 for `start`; without a cursor, that of the last
 * change committed now. Throws ArgumentError for any other text, and for a cursor of another database.
 */
export async function findStart(db: Db, cursor: string | null | undefined): Promise<number> {
  if (cursor === 'start') return 0
  if (cursor === null || cursor === undefined) {
    await publishAll(db)
    return findLastPosition(db)
  }
  const position = fromChangeCursor(cursor)
  if (position === undefined) throw new ArgumentError('after and Last-Event-ID must be a cursor or `start`')
  if (position > (await findLastPosition(db)))
    throw new ArgumentError('the cursor is after the last change: it belongs to another database')
  return position
}
