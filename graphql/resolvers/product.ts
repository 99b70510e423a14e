import type { GraphQLResolveInfo } from 'graphql'
import { statementCost } from '../../db/templates/meter.ts'
import { findProductTemplate } from '../../db/templates/product-templates.ts'
import { findRevision, findRevisionByHash, type PinnedTemplate } from '../../db/templates/revisions.ts'
import type { Context } from '../context.ts'
import { selectedFields } from '../selection.ts'
import { badInput } from '../where.ts'
import { isLong } from '../written.ts'

/** Resolves the current template, or one of its revisions. */
export function product(
  _root: unknown,
  { id, revision }: { id: number; revision?: number | null },
  context: Context,
  info: GraphQLResolveInfo
) {
  const { db, operation } = context
  if (revision != null) return resolveRevision(id, revision, context, info)
  return operation.evaluate(async () => {
    operation.spend(statementCost)
    const template = await findProductTemplate(db, id, selectedFields(info))
    if (template) operation.countText([template])
    return template
  })
}

/** Resolves the latest revision with these bytes. */
export function productByHash(
  _root: unknown,
  { hash }: { hash: string },
  { db, operation }: Context,
  info: GraphQLResolveInfo
) {
  const [, hex] = /^(?:sha256:)?([0-9a-f]{64})$/i.exec(hash) ?? []
  if (!hex) throw badInput('hash must have 64 hexadecimal digits, with or without sha256: in front')
  return operation.evaluate(async () => {
    operation.spend(2 * statementCost)
    const template = await findRevisionByHash(db, hex.toLowerCase())
    return template && withoutNeedlessData(template, operation, info)
  })
}

/** Resolves a template as it was in a revision. */
export const resolveRevision = (
  id: number,
  number: number,
  { db, operation }: Context,
  info: GraphQLResolveInfo
) =>
  operation.evaluate(async () => {
    operation.spend(statementCost)
    const template = await findRevision(db, id, number)
    return template && withoutNeedlessData(template, operation, info)
  })

/** Drops a document that is long or not selected, so that many take little memory; a long one is read again. */
function withoutNeedlessData(
  template: PinnedTemplate,
  operation: Context['operation'],
  info: GraphQLResolveInfo
) {
  const isNeeded = selectedFields(info).has('data') && !isLong(template.data)
  const found = { ...template, data: isNeeded ? template.data : null }
  operation.countText([found])
  return found
}
