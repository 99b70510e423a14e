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
import { pageOf } from '../admission/demands.ts'
import { badInput } from '../errors.ts'
import { type FieldContext, uncacheableField } from '../fields.ts'
import { type ListArguments, listSizes, readCursor, readFirst, toConnection } from '../relay.ts'
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
export const changes = uncacheableField(
  changesDemands,
  async ({ after, first }: ListArguments, context, info) => {
    const limit = readFirst(first, listSizes.changes)
    const position = readCursor(after, fromChangeCursor) ?? 0
    // Does nothing in a snapshot: `writeBeforeSnapshot` has released the changes before it.
    await releaseChanges(context.reader.db)
    const found = await listChanges(context.reader.db, position, limit + 1)
    if (found.length === 0 && position > (await findLastPosition(context.reader.db)))
      throw badInput('the cursor is after the last change: it belongs to another database')
    const page = found.slice(0, limit)
    const { rule } = context
    // The rule may make the page shorter.
    const visible = rule ? await selectVisibleChanges(context.reader.db, rule.filter, page) : page
    const nodes = await addContents(visible, context, info)
    const edges = nodes.map(node => ({ cursor: toChangeCursor(node.position), node }))
    const end = page.at(-1)
    const pages = { hasNextPage: found.length > limit, hasPreviousPage: position > 0 }
    return {
      ...toConnection(edges, pages, end && toChangeCursor(end.position)),
      latestCursor: isSelected(info, 'latestCursor') ? await findLatest(context) : undefined
    }
  }
)

async function findLatest(context: FieldContext): Promise<string> {
  await releaseChanges(context.reader.db)
  return toChangeCursor(await findLastPosition(context.reader.db))
}

type ListedChanges = Awaited<ReturnType<typeof listChanges>>

/** Adds the selected contents of their revisions to changes. */
async function addContents(changes: ListedChanges, context: FieldContext, info: GraphQLResolveInfo) {
  const contents = await findContents(changes, context, info)
  return changes.map(({ hash, ...change }, index) => {
    // An update that takes a template out of the rule counts as a deletion, but has contents.
    const shown = change.action === 'DELETE' ? undefined : contents[index]
    return { ...change, hash: hash && formatHash(hash), contents: shown }
  })
}

/** Begins a subscription, and then resolves each of its changes. */
export const productChanged = uncacheableField({}, async ({ where, after }: ListArguments, context, info) => {
  const { change } = context.input
  if (change) return (await addContents([change], context, info))[0]
  const rule = where ? toRule(where) : undefined
  const { writeDb, caller } = context
  const position = await resolveStart(writeDb, caller.lastEventId ?? after ?? undefined)
  context.subscription = { position, where: rule }
  return null
})
