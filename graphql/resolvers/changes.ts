import type { GraphQLResolveInfo } from 'graphql'
import { fromChangeCursor, toChangeCursor } from '../../db/cursors.ts'
import type { FilterInput } from '../../db/templates/filter/input.ts'
import { statementCost } from '../../db/templates/meter.ts'
import {
  findLastPosition,
  findLatestPosition,
  findStart,
  listChanges
} from '../../db/templates/revisions/changes.ts'
import { toRule } from '../../db/templates/rules/rule.ts'
import { seenChanges } from '../../db/templates/rules/seen.ts'
import { formatHash } from '../../db/templates/table/document.ts'
import { badInput } from '../errors.ts'
import type { Context } from '../execute.ts'
import { estimatePlanCost } from '../execution/reading.ts'
import { countFields } from '../execution/selection.ts'
import { inRange, type ListArguments, readCursor, sizes, toConnection } from '../paging.ts'
import { findContents } from './revisions.ts'

/** The fields of a change under other names. */
export const Change = {
  cursor: ({ position }: { position: number }) => toChangeCursor(position),
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
    const nodes = await complete(listed, context, info)
    const edges = nodes.map(node => ({ cursor: toChangeCursor(node.position), node }))
    const end = page.at(-1)
    const pages = { hasNextPage: found.length > limit, hasPreviousPage: position > 0 }
    return {
      ...toConnection(edges, pages, end && toChangeCursor(end.position)),
      latestCursor: () => operation.evaluate(async () => toChangeCursor(await findLatestPosition(reading.db)))
    }
  })
}

type Listed = Awaited<ReturnType<typeof listChanges>>

/** Adds to changes what is selected of the contents of their revisions. */
async function complete(listed: Listed, context: Context, info: GraphQLResolveInfo) {
  const contents = await findContents(listed, context, info)
  return listed.map(({ hash, ...change }, index) => {
    // What an update takes out of the rule has contents, too.
    const seen = change.action === 'DELETE' ? undefined : contents[index]
    return { ...change, hash: hash && formatHash(hash), contents: seen }
  })
}

/** Begins a subscription, and then resolves each of its changes. */
export function productChanged(
  _root: unknown,
  { where, after }: { where?: FilterInput | null; after?: string | null },
  context: Context,
  info: GraphQLResolveInfo
) {
  const { operation, subscription, caller } = context
  operation.spend(statementCost)
  return operation.evaluate(async () => {
    const { change } = subscription
    if (change) {
      operation.spendOnItems(1, countFields(info))
      return (await complete([change], context, info))[0]
    }
    const rule = where ? toRule(where) : undefined
    operation.spend(estimatePlanCost(rule?.text ?? ''))
    const position = await findStart(operation.store, caller.lastEventId ?? after)
    subscription.begun = { position, where: rule }
    return null
  })
}
