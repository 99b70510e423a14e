import type { GraphQLResolveInfo } from 'graphql'
import { fromBulkChangeCursor, toBulkChangeCursor } from '../../db/cursors.ts'
import type { Db } from '../../db/schema.ts'
import * as stored from '../../db/templates/bulk-changes.ts'
import { listRevisionsOfBulkChange } from '../../db/templates/revisions/revisions.ts'
import { isStorable } from '../../domain/text.ts'
import { type CallerContext, cacheableField, type FieldContext, uncacheableField } from '../fields.ts'
import { type ListArguments, listSizes, pageOf, readPage } from '../relay.ts'
import { addSelected, findAuthors, selectVisible } from './revisions.ts'

/**
 * The author whose bulk changes the caller sees; undefined: all. A user with a rule sees only their own, because the
 * count includes hidden templates.
 */
const toSubject = ({ rule, caller }: CallerContext) => (rule ? caller.subject : undefined)

/** Resolves a page of the bulk changes, newest first. */
export const bulkChanges = uncacheableField(
  { items: pageOf(listSizes.bulkChanges) },
  (_root, args: ListArguments, context, info) =>
    readPage(args, {
      size: listSizes.bulkChanges,
      fromCursor: fromBulkChangeCursor,
      read: (first, before) =>
        stored.listBulkChanges(context.reader.db, { subject: toSubject(context), before, first }),
      toCursor: ({ sequence }) => toBulkChangeCursor(sequence),
      toNodes: page => addAuthors(page, context, info)
    })
)

/** Resolves a bulk change; null if the caller sees none with this id. */
export const bulkChange = uncacheableField({}, async (_root, { id }: { id: string }, context, info) => {
  if (!isStorable(id)) return null
  const bulkChange = await stored.findBulkChange(context.reader.db, id, toSubject(context))
  return bulkChange ? (await addAuthors([bulkChange], context, info))[0] : null
})

async function addAuthors(bulkChanges: stored.BulkChange[], context: FieldContext, info: GraphQLResolveInfo) {
  const authors = await findAuthors(bulkChanges, context, info)
  return bulkChanges.map((bulkChange, index) => ({ ...bulkChange, author: authors[index] }))
}

/** Makes the resolver of a field that is another bulk change, or null if the caller may not see it. */
const relatedBulkChange = (
  find: (
    bulkChange: stored.BulkChange,
    db: Db,
    subject: string | undefined
  ) => ReturnType<typeof stored.findUndo>
) =>
  uncacheableField({}, async (bulkChange: stored.BulkChange, _args, context, info) => {
    const related = await find(bulkChange, context.reader.db, toSubject(context))
    return related ? (await addAuthors([related], context, info))[0] : null
  })

export const BulkChange = {
  undoes: relatedBulkChange(async ({ undoes }, db, subject) =>
    undoes === null ? undefined : stored.findBulkChange(db, undoes, subject)
  ),
  undoneBy: relatedBulkChange(async ({ id, undone }, db, subject) =>
    undone > 0 ? stored.findUndo(db, id, subject) : undefined
  ),
  revisions: cacheableField(
    { items: pageOf(listSizes.revisionsOfBulkChange) },
    ({ id }: stored.BulkChange, args: ListArguments, context, info) =>
      readPage(args, {
        size: listSizes.revisionsOfBulkChange,
        fromCursor: fromBulkChangeCursor,
        read: (first, after) => listRevisionsOfBulkChange(context.reader.db, id, { after, first }),
        toCursor: ({ sequence }) => toBulkChangeCursor(sequence),
        select: page => selectVisible(page, context),
        toNodes: revisions => addSelected(revisions, context, info)
      })
  )
}
