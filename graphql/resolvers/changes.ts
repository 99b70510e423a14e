import type { GraphQLResolveInfo } from 'graphql'
import { fromChangeCursor, toChangeCursor } from '../../db/cursors.ts'
import { statementCost } from '../../db/templates/meter.ts'
import { findLastPosition, findLatestPosition, listChanges } from '../../db/templates/revisions/changes.ts'
import { seenChanges } from '../../db/templates/rules/seen.ts'
import { formatHash } from '../../db/templates/table/document.ts'
import { badInput } from '../errors.ts'
import type { Context } from '../execute.ts'
import { countFields } from '../execution/selection.ts'
import { inRange, type ListArguments, readCursor, sizes, toConnection } from '../paging.ts'
import { findContents } from './revisions.ts'

/** The fields of a change under other names. */
export const Change = {
  templateId: ({ id }: { id: number }) => id,
  product: ({ contents }: { contents: unknown }) => contents
}

/** Resolves a page of the feed of changes, oldest first. */
export function changes(
  _root: unknown,
  { after, first }: ListArguments,
  context: Context,
  info: GraphQLResolveInfo
) {
  const { operation, reading } = context
  operation.spend(statementCost)
  return operation.evaluate(async () => {
    const limit = inRange('first', first, sizes.changes.max) ?? sizes.changes.default
    const position = readCursor(after, fromChangeCursor) ?? 0
    // Publishing a change does not change the version of the templates.
    operation.isCacheable = false
    const found = await listChanges(reading.db, position, limit + 1)
    if (found.length === 0 && position > (await findLastPosition(reading.db)))
      throw badInput('the cursor is after the last change: it belongs to another database')
    const page = found.slice(0, limit)
    const { rule } = context.caller
    // A page may be shorter than asked for.
    const listed = rule ? await seenChanges(reading.db, rule, page, operation) : page
    operation.spendOnItems(listed.length, countFields(info))
    const contents = await findContents(listed, context, info)
    const edges = listed.map((change, index) => {
      const { hash, action, position } = change
      // What an update takes out of the rule has contents, too.
      const seen = action === 'DELETE' ? undefined : contents[index]
      return {
        cursor: toChangeCursor(position),
        node: { ...change, hash: hash && formatHash(hash), contents: seen }
      }
    })
    const end = page.at(-1)
    const pages = { hasNextPage: found.length > limit, hasPreviousPage: position > 0 }
    return {
      ...toConnection(edges, pages, end && toChangeCursor(end.position)),
      latestCursor: () => operation.evaluate(async () => toChangeCursor(await findLatestPosition(reading.db)))
    }
  })
}
