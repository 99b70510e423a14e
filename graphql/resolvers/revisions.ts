import type { GraphQLResolveInfo } from 'graphql'
import { statementCost } from '../../db/templates/meter.ts'
import { findRevision, listRevisions, type Revision } from '../../db/templates/revisions/revisions.ts'
import { formatHash, hashOf } from '../../db/templates/table/document-hash.ts'
import { type FoundTemplate, maxInt } from '../../db/templates/table/product-templates.ts'
import type { Context } from '../context.ts'
import { inRange, sizes } from '../range.ts'
import { countFields } from '../selection.ts'
import { resolveSlices } from '../slices.ts'
import { badInput } from '../where.ts'
import { findProducts } from './product.ts'

/** Resolves the difference between two revisions; null if one of them has no contents. */
export const revisionDiff = (
  _root: unknown,
  { id, from, to }: { id: number; from: number; to: number },
  { db, operation }: Context
) => {
  operation.spend(2 * statementCost)
  return operation.evaluate(async () => {
    const [before, after] = [await findRevision(db, id, from), await findRevision(db, id, to)]
    if (!before || !after) return null
    // Few ask for it, and the libraries of it are large.
    const { diffRevisions } = await import('../../db/templates/revisions/diff.ts')
    return diffRevisions(before, after, operation)
  })
}

/** Resolves a page of the revisions of a template. */
export function revisions(
  { id }: FoundTemplate,
  { first, after }: { first?: number | null; after?: string | null },
  context: Context,
  info: GraphQLResolveInfo
) {
  const { db, operation } = context
  // Counts before it waits for its turn, so that the limit on cost also limits how many wait.
  operation.spend(statementCost)
  return operation.evaluate(async () => {
    const limit = inRange('first', first, sizes.revisions.most) ?? sizes.revisions.usual
    const found = await listRevisions(db, id, limit + 1, fromCursor(after))
    // A store of an earlier version is still being recorded.
    if (found.length === 0) operation.isLasting = false
    const listed = found.slice(0, limit)
    operation.spendOnItems(listed.length, countFields(info))
    const products = await findProducts(
      listed.map(({ id, number }) => ({ id, revision: number })),
      context,
      info
    )
    const nodes = listed.map((revision, index) => ({ ...revision, product: products[index] }))
    const edges = nodes.map(node => ({ cursor: toCursor(node), node }))
    return {
      edges: resolveSlices(edges),
      nodes: resolveSlices(nodes),
      pageInfo: {
        hasNextPage: found.length > limit,
        // Whether there are newer ones is known from the cursor alone: its revision is one.
        hasPreviousPage: after != null,
        startCursor: edges[0]?.cursor,
        endCursor: edges.at(-1)?.cursor
      }
    }
  })
}

const cursorPrefix = 'revision:'

const toCursor = ({ number }: Revision): string => Buffer.from(cursorPrefix + number).toString('base64url')

function fromCursor(cursor: string | null | undefined): number | undefined {
  if (cursor == null) return undefined
  const text = Buffer.from(cursor, 'base64url').toString()
  const number = Number(text.slice(cursorPrefix.length))
  if (!text.startsWith(cursorPrefix) || !(Number.isInteger(number) && number > 0 && number <= maxInt))
    throw badInput('the cursor is not valid')
  return number
}

/** The fields of a revision that are not stored under their name. */
export const ProductRevision = {
  hash(revision: Revision, _arguments: unknown, context: Context) {
    const { hash, action } = revision
    if (action === 'DELETE') return null
    return hash === null ? computeHash(revision, context) : formatHash(hash)
  },
  time: ({ timeRecorded }: Revision) => timeRecorded
}

/** Triggers cannot compute it on every engine, so it may be missing for a moment. */
function computeHash({ id, number }: Revision, { db, operation }: Context) {
  operation.spend(statementCost)
  return operation.evaluate(async () => {
    const template = await findRevision(db, id, number)
    return template && formatHash(hashOf(template.data))
  })
}
