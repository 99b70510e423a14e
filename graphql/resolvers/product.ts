import type { GraphQLResolveInfo } from 'graphql'
import { statementCost } from '../../db/templates/costs.ts'
import { ensureHashed, findRevisionByHash } from '../../db/templates/revisions/hashes.ts'
import {
  findRevision,
  findWholeTemplate,
  type PinnedTemplate
} from '../../db/templates/revisions/revisions.ts'
import { findProductTemplate } from '../../db/templates/table/product-templates.ts'
import { badInput, type Context } from '../context.ts'
import { costOfFound, type FieldDemands } from '../demands.ts'
import { query, selectedFields } from '../execution/reading.ts'
import { readRevision } from './revisions.ts'

const productDemands = { cost: costOfFound, isCacheable: true }

/** Resolves the current template, or one of its revisions. */
export const product = query(productDemands, async ({ id, revision }: RevisionKey, context, info) => {
  const { operation, reading } = context
  operation.spend(statementCost)
  if (revision == null) return readProduct(id, context, info)
  const found = await findRevision(reading.db, id, revision)
  return found && reading.sees(found) ? found : null
})

export interface RevisionKey {
  id: number
  revision?: number | null
}

/** Reads what is selected of a template; null if the caller sees no such template. */
export async function readProduct(id: number, { reading, caller }: Context, info: GraphQLResolveInfo) {
  if (!caller.rule) return findProductTemplate(reading.db, id, selectedFields(info))
  const found = await findWholeTemplate(reading.db, id)
  return found && reading.sees(found) ? found : null
}

const templateByHashDemands: FieldDemands = {
  cost: ({ costOf }) => 2 * statementCost + costOf(1),
  prepare: ensureHashed,
  isCacheable: true
}

/** Resolves the latest revision with these bytes, as the template was then. */
export const productByHash = query(templateByHashDemands, ({ hash }: { hash: string }, context) =>
  findByHash(hash, context)
)

const revisionByHashDemands: FieldDemands = {
  cost: ({ costOf }) => 3 * statementCost + costOf(1),
  prepare: ensureHashed,
  isCacheable: true
}

/** Resolves the latest revision with these bytes. */
export const revisionByHash = query(
  revisionByHashDemands,
  async ({ hash }: { hash: string }, context, info) => {
    const found = await findByHash(hash, context)
    return found ? readRevision(found.id, found.revision, context, info) : null
  }
)

async function findByHash(hash: string, { operation, reading }: Context) {
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
  return findRevisionByHash(reading.db, hex.toLowerCase(), { isSeen })
}
