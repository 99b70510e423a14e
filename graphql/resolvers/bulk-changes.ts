import type { GraphQLResolveInfo } from 'graphql'
import { fromBulkChangeCursor, toBulkChangeCursor } from '../../db/cursors.ts'
import * as stored from '../../db/templates/bulk-changes.ts'
import { listRevisionsOfBulkChange, selectVisibleRevisions } from '../../db/templates/revisions/revisions.ts'
import { isStorable } from '../../domain/text.ts'
import { type FieldDemands, pageOf } from '../admission/demands.ts'
import { type FieldContext, type RequestContext, uncacheableField } from '../fields.ts'
import { type ListArguments, listSizes, readCursor, readFirst, toConnection } from '../relay.ts'
import { isSelected } from '../selection.ts'
import { addSelected, findAuthors } from './revisions.ts'

/**
 * The author whose bulk changes the caller sees; undefined: all. A user with a rule sees only their own, because the
 * count includes hidden templates.
 */
const toSubject = ({ rule, caller }: RequestContext) => (rule ? caller.subject : undefined)

/** Resolves a page of the writes of many templates, newest first. */
export const bulkChanges = uncacheableField(
  { items: pageOf(listSizes.bulkChanges) },
  async ({ first, after }: ListArguments, context, info) => {
    const limit = readFirst(first, listSizes.bulkChanges)
    const before = readCursor(after, fromBulkChangeCursor)
    const request = { subject: toSubject(context), before, first: limit + 1 }
    const found = await stored.listBulkChanges(context.reader.db, request)
    const nodes = await addAuthors(found.slice(0, limit), context, info)
    const edges = nodes.map(node => ({ cursor: toBulkChangeCursor(node.sequence), node }))
    return toConnection(edges, { hasNextPage: found.length > limit, hasPreviousPage: after != null })
  }
)

/** Resolves a write of many templates; null if the caller sees none with this id. */
export const bulkChange = uncacheableField({}, async ({ id }: { id: string }, context, info) => {
  if (!isStorable(id)) return null
  const found = await stored.findBulkChange(context.reader.db, id, toSubject(context))
  return found ? (await addAuthors([found], context, info))[0] : null
})

async function addAuthors(found: stored.BulkChange[], context: FieldContext, info: GraphQLResolveInfo) {
  const authors = isSelected(info, 'author') ? await findAuthors(found, context) : []
  return found.map((bulkChange, index) => ({ ...bulkChange, author: authors[index] }))
}

async function readRevisions(
  { id }: stored.BulkChange,
  { first, after }: ListArguments,
  context: FieldContext,
  info: GraphQLResolveInfo
) {
  const limit = readFirst(first, listSizes.revisionsOfBulkChange)
  const position = { after: readCursor(after, fromBulkChangeCursor), first: limit + 1 }
  const found = await listRevisionsOfBulkChange(context.reader.db, id, position)
  const page = found.slice(0, limit)
  const { rule } = context
  // The rule may make the page shorter.
  const visible = rule ? await selectVisibleRevisions(context.reader.db, rule.filter, page) : page
  const nodes = await addSelected(visible, context, info)
  const edges = nodes.map(node => ({ cursor: toBulkChangeCursor(node.sequence), node }))
  const end = page.at(-1)
  const pages = { hasNextPage: found.length > limit, hasPreviousPage: after != null }
  return toConnection(edges, pages, end && toBulkChangeCursor(end.sequence))
}

/** Resolves the latest undo that the caller may see. No cached response has bulk changes, so it gets the caller. */
async function readUndo(
  { id, undone }: stored.BulkChange,
  _args: object,
  context: RequestContext,
  info: GraphQLResolveInfo
) {
  const found = undone > 0 ? await stored.findUndo(context.reader.db, id, toSubject(context)) : undefined
  return found ? (await addAuthors([found], context, info))[0] : null
}

export const BulkChange = {
  undoneBy: Object.assign(readUndo, { demands: {} satisfies FieldDemands }),
  revisions: Object.assign(readRevisions, {
    demands: { items: pageOf(listSizes.revisionsOfBulkChange) } satisfies FieldDemands
  })
}
