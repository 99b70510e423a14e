import type { GraphQLResolveInfo } from 'graphql'
import { fromChangeCursor, toChangeCursor } from '../../db/cursors.ts'
import {
  findLastPosition,
  listChanges,
  releaseChanges,
  resolveStart,
  selectVisibleChanges
} from '../../db/templates/changes/changes.ts'
import { toRule } from '../../db/templates/rule.ts'
import { formatHash } from '../../domain/document.ts'
import { badInput } from '../errors.ts'
import { type FieldContext, uncacheableField } from '../fields.ts'
import { type ListArguments, listSizes, pageOf, readPage } from '../relay.ts'
import { isSelected } from '../selection.ts'
import { findContents } from './revisions.ts'

/** The fields of a change that have another name in the feed. */
export const Change = {
  cursor: ({ position }: { position: number }) => toChangeCursor(position),
  templateId: ({ id }: { id: number }) => id
}

const changesDemands = { items: pageOf(listSizes.changes), writeBeforeSnapshot: releaseChanges }

/**
 * Resolves a page of the feed of changes, oldest first. Releasing a change does not change the version of the
 * templates.
 */
export const changes = uncacheableField(changesDemands, async (_root, args: ListArguments, context, info) => {
  const { rule, reader } = context
  const page = await readPage(args, {
    size: listSizes.changes,
    fromCursor: fromChangeCursor,
    read: (limit, after = 0) => readChanges(context, after, limit),
    toCursor: ({ position }) => toChangeCursor(position),
    select: rule && (page => selectVisibleChanges(reader.db, rule.filter, page)),
    toNodes: page => addContents(page, context, info)
  })
  const latest = isSelected(info, 'latestCursor') ? await findLastPosition(reader.db) : undefined
  return { ...page, latestCursor: latest === undefined ? undefined : toChangeCursor(latest) }
})

async function readChanges({ reader }: FieldContext, position: number, limit: number) {
  const page = await listChanges(reader.db, position, limit)
  if (page.length === 0 && position > (await findLastPosition(reader.db)))
    throw badInput('the cursor is after the last change: it belongs to another database')
  return page
}

type ListedChanges = Awaited<ReturnType<typeof listChanges>>

/** Adds the contents of their revisions to changes, if they are selected. */
async function addContents(changes: ListedChanges, context: FieldContext, info: GraphQLResolveInfo) {
  const contents = await findContents(changes, context, info)
  return changes.map(({ hash, ...change }, index) => {
    // An update that takes a template out of the rule counts as a deletion, but has contents.
    const shown = change.action === 'DELETE' ? undefined : contents[index]
    return { ...change, hash: hash && formatHash(hash), contents: shown }
  })
}

/** Begins a subscription, and then resolves each of its changes. */
export const productChanged = uncacheableField(
  {},
  async (_root, { where, after }: ListArguments, context, info) => {
    const { change } = context.input
    if (change) return (await addContents([change], context, info))[0]
    const rule = where ? toRule(where) : undefined
    const { writeDb, caller } = context
    const position = await resolveStart(writeDb, caller.lastEventId ?? after ?? undefined)
    context.subscription = { position, where: rule }
    return null
  }
)
