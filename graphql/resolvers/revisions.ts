import type { GraphQLResolveInfo } from 'graphql'
import type { Actor } from '../../db/accounts/names.ts'
import { fromRevisionCursor, toRevisionCursor } from '../../db/cursors.ts'
import { rowCost, statementCost } from '../../db/templates/costs.ts'
import {
  findRecord,
  findRevision,
  findRevisions,
  listRevisions,
  type Revision
} from '../../db/templates/revisions/revisions.ts'
import { seenRevisions } from '../../db/templates/rules/seen.ts'
import { formatHash, hashOf } from '../../db/templates/table/document.ts'
import type { FoundTemplate } from '../../db/templates/table/product-templates.ts'
import type { Context } from '../context.ts'
import { costOfFound, costOfPage } from '../demands.ts'
import { isSelected, query, selectedContents } from '../execution/reading.ts'
import { toNodeId } from '../node-id.ts'
import { costOfItems, type ListArguments, readCursor, readFirst, sizes, toConnection } from '../paging.ts'

const diffDemands = { cost: () => 2 * statementCost, isCacheable: true }

/** Resolves the difference between two revisions; null if the caller sees no contents of one of them. */
export const revisionDiff = query(
  diffDemands,
  async (given: { id: number; from: number; to: number }, context) => {
    const { operation, reading } = context
    const { id, from, to } = given
    operation.spend(2 * statementCost)
    const [before, after] = [await findRevision(reading.db, id, from), await findRevision(reading.db, id, to)]
    if (!before || !after || !reading.sees(before) || !reading.sees(after)) return null
    // Loaded on demand, because few clients use it and its libraries are large.
    const { diffRevisions } = await import('../../db/templates/revisions/diff.ts')
    return diffRevisions(before, after, operation)
  }
)

const pageDemands = { cost: costOfPage(sizes.revisions), isCacheable: true }

/** Resolves a page of the revisions of a template, which may be deleted. */
export const productRevisions = query(
  pageDemands,
  async (given: ListArguments & { id: number }, context, info) => {
    const { id, first, after } = given
    const { operation, output, reading } = context
    operation.spend(statementCost)
    const limit = readFirst(first, sizes.revisions)
    const found = await listRevisions(reading.db, id, limit + 1, readCursor(after, fromRevisionCursor))
    // The revisions of a store from an earlier version are still being recorded.
    if (found.length === 0) output.isCacheable = false
    const page = found.slice(0, limit)
    const { rule } = context.caller
    // The rule may make the page shorter.
    const listed = rule ? await seenRevisions(reading.db, rule, page, operation) : page
    operation.spend(costOfItems(listed.length, info))
    const nodes = await complete(listed, context, info)
    const edges = nodes.map(node => ({ cursor: toRevisionCursor(node), node }))
    // With a cursor there is always a newer revision: the revision of the cursor.
    const pages = { hasNextPage: found.length > limit, hasPreviousPage: after != null }
    const last = page.at(-1)
    return toConnection(edges, pages, last && toRevisionCursor(last))
  }
)

export const revisions = (
  { id }: FoundTemplate,
  given: ListArguments,
  context: Context,
  info: GraphQLResolveInfo
) => productRevisions(undefined, { ...given, id }, context, info)

/** Resolves a revision of a template, which may be deleted. */
export const productRevision = query(
  { cost: costOfFound, isCacheable: true },
  ({ id, number }: { id: number; number: number }, context, info) => {
    context.operation.spend(statementCost)
    return readRevision(id, number, context, info)
  }
)

/** Reads what is selected of a revision; null if the caller sees no such revision. */
export async function readRevision(id: number, number: number, context: Context, info: GraphQLResolveInfo) {
  const { operation, output, reading, caller } = context
  const found = await findRecord(reading.db, id, number)
  if (!found) output.isCacheable = false
  const listed = found ? [found] : []
  const seen = caller.rule ? await seenRevisions(reading.db, caller.rule, listed, operation) : listed
  return (await complete(seen, context, info))[0] ?? null
}

/** Adds the selected contents and authors to revisions, with a few statements. */
async function complete(listed: Revision[], context: Context, info: GraphQLResolveInfo) {
  const numbers = listed.map(({ id, number }) => ({ id, revision: number }))
  const contents = await findContents(numbers, context, info)
  const authors = isSelected(info, 'author') ? await findAuthors(listed, context) : []
  return listed.map((revision, index) => ({ ...revision, contents: contents[index], author: authors[index] }))
}

async function findAuthors(revisions: Revision[], { operation, reading }: Context) {
  operation.spend(2 * statementCost)
  const names = await reading.findNames(revisions)
  return names.map((found, index) => found && { ...found, actor: revisions[index] as Actor })
}

export const RevisionAuthor = {
  nodeId: ({ actor: { subject, clientId, name } }: { actor: Actor }) =>
    toNodeId('RevisionAuthor', subject, clientId as string, name)
}

/** The fields of a revision that are stored under another name. */
export const ProductRevision = {
  nodeId: ({ id, number }: Revision) => toNodeId('ProductRevision', id, number),
  templateId: ({ id }: Revision) => id,
  product: ({ contents }: { contents: unknown }) => contents,
  hash(revision: Revision, _arguments: unknown, context: Context) {
    const { hash, action } = revision
    if (action === 'DELETE') return null
    return hash === null ? computeHash(revision, context) : formatHash(hash)
  },
  time: ({ timeRecorded }: Revision) => timeRecorded
}

/** Computes a hash that is still missing: SQLite's triggers cannot compute it. */
function computeHash({ id, number }: Revision, { operation, reading }: Context) {
  operation.spend(statementCost)
  return operation.evaluate(async () => {
    const template = await findRevision(reading.db, id, number)
    return template && formatHash(hashOf(template.data))
  })
}

/** Revisions that one statement finds. */
const revisionsAtOnce = 100

/** Finds the contents of revisions, in their order, with a few statements; an empty list if none are selected. */
export async function findContents(
  revisions: readonly { id: number; revision: number }[],
  { operation, reading }: Context,
  info: GraphQLResolveInfo
): Promise<(FoundTemplate | undefined)[]> {
  const fields = selectedContents(info)
  const found: (FoundTemplate | undefined)[] = []
  for (let start = 0; fields && start < revisions.length; start += revisionsAtOnce) {
    const some = revisions.slice(start, start + revisionsAtOnce)
    operation.spend(statementCost + some.length * rowCost)
    await operation.turn()
    found.push(...(await findRevisions(reading.db, some, fields.has('data'))))
  }
  return found
}
