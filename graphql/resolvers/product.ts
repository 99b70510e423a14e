import type { GraphQLResolveInfo } from 'graphql'
import {
  findProductTemplate,
  findWholeTemplate,
  type PinnedTemplate
} from '../../db/templates/product-templates.ts'
import { ensureHashed, findRevisionByHash } from '../../db/templates/revisions/hashes.ts'
import type { FieldDemands } from '../demands.ts'
import { badInput } from '../errors.ts'
import { query, type Reading } from '../fields.ts'
import { isSelected, selectedFields } from '../selection.ts'
import { readRevision } from './revisions.ts'

const productDemands: FieldDemands = {
  isOneStatement: selection => !isSelected(selection, 'revisions')
}

export const product = query(productDemands, ({ id }: { id: number }, read, info) =>
  readProduct(id, read, info)
)

/** Reads the selected fields of a template; null if the caller sees no such template. */
export async function readProduct(id: number, read: Reading, info: GraphQLResolveInfo) {
  if (!read.rule) return findProductTemplate(read.db, id, selectedFields(info))
  const found = await findWholeTemplate(read.db, id)
  return found && read.sees(found) ? found : null
}

const revisionByHashDemands: FieldDemands = { prepare: ensureHashed }

/** Resolves the latest revision with these bytes. */
export const revisionByHash = query(revisionByHashDemands, async ({ hash }: { hash: string }, read, info) => {
  const found = await findByHash(hash, read)
  return found ? readRevision(found.id, found.revision, read, info) : null
})

async function findByHash(hash: string, read: Reading) {
  const [, hex] = /^(?:sha256:)?([0-9a-f]{8,64})$/i.exec(hash) ?? []
  if (!hex)
    throw badInput(
      'hash must have 64 hexadecimal digits, or the first 8 or more, with or without sha256: in front'
    )
  const isSeen = (template: PinnedTemplate) => read.sees(template)
  return findRevisionByHash(read.db, hex.toLowerCase(), { isSeen })
}
