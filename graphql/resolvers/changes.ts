import type { GraphQLResolveInfo } from 'graphql'
import { type Change, findLastPosition, findLatestPosition, listChanges } from '../../db/templates/changes.ts'
import { formatHash } from '../../db/templates/document-hash.ts'
import { rowCost, statementCost } from '../../db/templates/meter.ts'
import { fromChangeCursor, toChangeCursor } from '../change-cursor.ts'
import type { Context } from '../context.ts'
import { inRange } from '../range.ts'
import { badInput } from '../where.ts'
import { resolveRevision } from './product.ts'

const defaultPageSize = 100
const maxPageSize = 1000

/** Resolves a page of the feed of changes, oldest first. */
export function changes(
  _root: unknown,
  { after, first }: { after?: string | null; first?: number | null },
  { db, operation }: Context
) {
  return operation.evaluate(async () => {
    const limit = inRange('first', first, maxPageSize) ?? defaultPageSize
    const position = toPosition(after)
    // What is published is not a part of the templates.
    operation.isLasting = false
    operation.spend(statementCost + limit * rowCost)
    const found = await listChanges(db, position, limit + 1)
    if (found.length === 0 && position > (await findLastPosition(db)))
      throw badInput('the cursor is after the last change: it belongs to another database')
    const edges = found
      .slice(0, limit)
      .map(change => ({ cursor: toChangeCursor(change.position), node: toNode(change) }))
    return {
      edges,
      nodes: edges.map(({ node }) => node),
      pageInfo: {
        hasNextPage: found.length > limit,
        hasPreviousPage: position > 0,
        startCursor: edges[0]?.cursor,
        endCursor: edges.at(-1)?.cursor
      },
      latestCursor: () => operation.evaluate(async () => toChangeCursor(await findLatestPosition(db)))
    }
  })
}

function toPosition(cursor: string | null | undefined): number {
  if (cursor === null || cursor === undefined) return 0
  const position = fromChangeCursor(cursor)
  if (position === undefined) throw badInput('the cursor is not valid')
  return position
}

const toNode = (change: Change) => ({
  ...change,
  hash: change.hash && formatHash(change.hash),
  product: (_arguments: unknown, context: Context, info: GraphQLResolveInfo) =>
    change.action === 'DELETE' ? null : resolveRevision(change.id, change.revision, context, info)
})
