import type { GraphQLResolveInfo } from 'graphql'
import { findActorNames } from '../../db/accounts/names.ts'
import { statementCost } from '../../db/templates/meter.ts'
import { fromRevisionCursor, toRevisionCursor } from '../../db/templates/revisions/cursors.ts'
import { findRevision, listRevisions, type Revision } from '../../db/templates/revisions/revisions.ts'
import { seenRevisions } from '../../db/templates/rules/seen.ts'
import { formatHash, hashOf } from '../../db/templates/table/document.ts'
import type { FoundTemplate } from '../../db/templates/table/product-templates.ts'
import type { Context } from '../execute.ts'
import { countFields, isSelected } from '../execution/selection.ts'
import { inRange, type ListArguments, readCursor, sizes, toConnection } from '../paging.ts'
import { findProducts } from './product.ts'

/** Resolves the difference between two revisions; null if one of them has no contents. */
export const revisionDiff = (
  _root: unknown,
  { id, from, to }: { id: number; from: number; to: number },
  { operation, reading }: Context
) => {
  operation.spend(2 * statementCost)
  return operation.evaluate(async () => {
    const [before, after] = [await findRevision(reading.db, id, from), await findRevision(reading.db, id, to)]
    if (!before || !after || !reading.sees(before) || !reading.sees(after)) return null
    // Loaded on demand, because few clients use it and its libraries are large.
    const { diffRevisions } = await import('../../db/templates/revisions/diff.ts')
    return diffRevisions(before, after, operation)
  })
}

/** Resolves a page of the revisions of a template. */
export function revisions(
  { id }: FoundTemplate,
  { first, after }: ListArguments,
  context: Context,
  info: GraphQLResolveInfo
) {
  const { operation, reading } = context
  // Counts the cost before it waits for its turn, so that the cost limit also limits how many wait.
  operation.spend(statementCost)
  return operation.evaluate(async () => {
    const limit = inRange('first', first, sizes.revisions.max) ?? sizes.revisions.default
    const found = await listRevisions(reading.db, id, limit + 1, readCursor(after, fromRevisionCursor))
    // The revisions of a store from an earlier version are still being recorded.
    if (found.length === 0) operation.isCacheable = false
    const page = found.slice(0, limit)
    const { rule } = context.caller
    // A page may be shorter than asked for.
    const listed = rule ? await seenRevisions(reading.db, rule, page, operation) : page
    operation.spendOnItems(listed.length, countFields(info))
    const products = await findProducts(
      listed.map(({ id, number }) => ({ id, revision: number })),
      context,
      info
    )
    const authors = isSelected(info, 'author') ? await findAuthors(listed, context) : []
    const edges = listed.map((revision, index) => ({
      cursor: toRevisionCursor(revision),
      node: { ...revision, product: products[index], author: authors[index] }
    }))
    // With a cursor there is always a newer revision: the revision of the cursor.
    const pages = { hasNextPage: found.length > limit, hasPreviousPage: after != null }
    const last = page.at(-1)
    return toConnection(edges, pages, last && toRevisionCursor(last))
  })
}

function findAuthors(revisions: Revision[], { operation, reading }: Context) {
  // Names change without the templates.
  operation.isCacheable = false
  operation.spend(2 * statementCost)
  return findActorNames(reading.db, revisions)
}

/** The fields of a revision that are stored under another name. */
export const ProductRevision = {
  hash(revision: Revision, _arguments: unknown, context: Context) {
    const { hash, action } = revision
    if (action === 'DELETE') return null
    return hash === null ? computeHash(revision, context) : formatHash(hash)
  },
  time: ({ timeRecorded }: Revision) => timeRecorded
}

/** Triggers cannot compute the hash on every engine, so it may be missing for a moment. */
function computeHash({ id, number }: Revision, { operation, reading }: Context) {
  operation.spend(statementCost)
  return operation.evaluate(async () => {
    const template = await findRevision(reading.db, id, number)
    return template && formatHash(hashOf(template.data))
  })
}
