import type { GraphQLResolveInfo } from 'graphql'
import { fromOperationCursor, toOperationCursor } from '../../db/cursors.ts'
import * as stored from '../../db/templates/operations.ts'
import { listRevisionsOfOperation, selectVisibleRevisions } from '../../db/templates/revisions/revisions.ts'
import { isStorable } from '../../domain/text.ts'
import { type FieldDemands, pageOf } from '../admission/demands.ts'
import { type FieldContext, type RequestContext, uncacheableField } from '../fields.ts'
import { type ListArguments, listSizes, readCursor, readFirst, toConnection } from '../relay.ts'
import { isSelected } from '../selection.ts'
import { addSelected, findAuthors } from './revisions.ts'

/**
 * The author whose operations the caller sees; undefined: all. A user with a rule sees only their own, because the
 * count includes hidden templates.
 */
const toSubject = ({ rule, caller }: RequestContext) => (rule ? caller.subject : undefined)

/** Resolves a page of the writes of many templates, newest first. */
export const operations = uncacheableField(
  { items: pageOf(listSizes.operations) },
  async ({ first, after }: ListArguments, context, info) => {
    const limit = readFirst(first, listSizes.operations)
    const before = readCursor(after, fromOperationCursor)
    const request = { subject: toSubject(context), before, first: limit + 1 }
    const found = await stored.listOperations(context.reader.db, request)
    const nodes = await addAuthors(found.slice(0, limit), context, info)
    const edges = nodes.map(node => ({ cursor: toOperationCursor(node.sequence), node }))
    return toConnection(edges, { hasNextPage: found.length > limit, hasPreviousPage: after != null })
  }
)

/** Resolves a write of many templates; null if the caller sees none with this id. */
export const operation = uncacheableField({}, async ({ id }: { id: string }, context, info) => {
  if (!isStorable(id)) return null
  const found = await stored.findOperation(context.reader.db, id, toSubject(context))
  return found ? (await addAuthors([found], context, info))[0] : null
})

async function addAuthors(found: stored.Operation[], context: FieldContext, info: GraphQLResolveInfo) {
  const authors = isSelected(info, 'author') ? await findAuthors(found, context) : []
  return found.map((operation, index) => ({ ...operation, author: authors[index] }))
}

async function readRevisions(
  { id }: stored.Operation,
  { first, after }: ListArguments,
  context: FieldContext,
  info: GraphQLResolveInfo
) {
  const limit = readFirst(first, listSizes.revisionsOfOperation)
  const position = { after: readCursor(after, fromOperationCursor), first: limit + 1 }
  const found = await listRevisionsOfOperation(context.reader.db, id, position)
  const page = found.slice(0, limit)
  const { rule } = context
  // The rule may make the page shorter.
  const visible = rule ? await selectVisibleRevisions(context.reader.db, rule.filter, page) : page
  const nodes = await addSelected(visible, context, info)
  const edges = nodes.map(node => ({ cursor: toOperationCursor(node.sequence), node }))
  const end = page.at(-1)
  const pages = { hasNextPage: found.length > limit, hasPreviousPage: after != null }
  return toConnection(edges, pages, end && toOperationCursor(end.sequence))
}

/** The caller may see who has undone what they see. An undo has no revisions of other templates. */
async function readUndo(
  { id, undone }: stored.Operation,
  _args: object,
  context: FieldContext,
  info: GraphQLResolveInfo
) {
  const found = undone > 0 ? await stored.findUndo(context.reader.db, id) : undefined
  return found ? (await addAuthors([found], context, info))[0] : null
}

export const Operation = {
  undoneBy: Object.assign(readUndo, { demands: {} satisfies FieldDemands }),
  revisions: Object.assign(readRevisions, {
    demands: { items: pageOf(listSizes.revisionsOfOperation) } satisfies FieldDemands
  })
}
