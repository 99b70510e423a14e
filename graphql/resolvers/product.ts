import type { GraphQLResolveInfo } from 'graphql'
import { rowCost, statementCost } from '../../db/templates/meter.ts'
import { findRevisionByHash } from '../../db/templates/revisions/hashes.ts'
import {
  findRevision,
  findRevisions,
  findWholeTemplate,
  type ListedRevision,
  type PinnedTemplate
} from '../../db/templates/revisions/revisions.ts'
import { findProductTemplate } from '../../db/templates/table/product-templates.ts'
import type { Context } from '../execute.ts'
import { selectedFields, selectedProduct } from '../execution/selection.ts'
import { badInput } from '../input/bad-input.ts'

/** Resolves the current template, or one of its revisions. */
export function product(
  _root: unknown,
  { id, revision }: { id: number; revision?: number | null },
  context: Context,
  info: GraphQLResolveInfo
) {
  const { operation, reading, caller } = context
  operation.spend(statementCost)
  return operation.evaluate(async () => {
    if (revision == null && caller.rule === undefined)
      return findProductTemplate(reading.db, id, selectedFields(info))
    const found = await (revision == null
      ? findWholeTemplate(reading.db, id)
      : findRevision(reading.db, id, revision))
    return found && reading.sees(found) ? found : null
  })
}

/** Resolves the latest revision with these bytes. */
export function productByHash(_root: unknown, { hash }: { hash: string }, { operation, reading }: Context) {
  const [, hex] = /^(?:sha256:)?([0-9a-f]{8,64})$/i.exec(hash) ?? []
  if (!hex)
    throw badInput(
      'hash must have 64 hexadecimal digits, or the first 8 or more, with or without sha256: in front'
    )
  const isSeen = (template: PinnedTemplate) => {
    operation.spend(statementCost)
    return reading.sees(template)
  }
  operation.spend(statementCost)
  return operation.evaluate(() => findRevisionByHash(reading.db, hex.toLowerCase(), { isSeen }))
}

/** Number of revisions that one statement finds. */
const revisionsAtOnce = 100

/**
 * Finds the templates of a page of revisions in a few statements, in the order of the page; none if `product` is not
 * selected.
 */
export async function findProducts(
  revisions: readonly { id: number; revision: number }[],
  { operation, reading }: Context,
  info: GraphQLResolveInfo
): Promise<(ListedRevision | undefined)[]> {
  const fields = selectedProduct(info)
  const found: (ListedRevision | undefined)[] = []
  for (let start = 0; fields && start < revisions.length; start += revisionsAtOnce) {
    const some = revisions.slice(start, start + revisionsAtOnce)
    operation.spend(statementCost + some.length * rowCost)
    await operation.turn()
    found.push(...(await findRevisions(reading.db, some, fields.has('data'))))
  }
  return found
}
