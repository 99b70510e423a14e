import type { Db } from '../../db/schema.ts'
import type { MetadataSource } from '../../db/templates/metadata/write.ts'
import { findRevisionByHash } from '../../db/templates/revisions/hashes.ts'
import { findRevision, findWholeTemplate, listRevisions } from '../../db/templates/revisions/revisions.ts'
import { maxInt } from '../../db/templates/table/columns.ts'
import { hashOf } from '../../db/templates/table/document-hash.ts'
import { findProductTemplate } from '../../db/templates/table/product-templates.ts'
import { noPublicTemplate } from '../../errors.ts'

/** What a request asks for. */
export interface MetadataRequest {
  /** undefined if it is malformed. */
  id: number | undefined
  /** Number of a revision. */
  revision?: number | undefined
  /** SHA-256 of `data`, hex. */
  hash?: string | undefined
}

/** Reads an id: a decimal number, or the 64 hexadecimal digits by which EIP-1155 clients replace `{id}`. */
export function parseId(text: string): number | undefined {
  const isHex = /^[0-9a-f]{64}$/.test(text)
  if (!isHex && !/^(0|[1-9]\d{0,9})$/.test(text)) return undefined
  const id = isHex ? Number.parseInt(text, 16) : Number(text)
  return id <= maxInt ? id : undefined
}

/**
 * Finds a public template with its whole document, or a pinned revision of it. The template must have been public in
 * that revision, and must be public now or have been public when it was deleted. All others get the same 404.
 */
export async function findPublicTemplate(db: Db, request: MetadataRequest): Promise<MetadataSource> {
  const { id, revision, hash } = request
  if (id === undefined) throw noPublicTemplate()
  const isPinned = revision !== undefined || hash !== undefined
  const found = await (isPinned ? findPinned(db, id, request) : findWholeTemplate(db, id))
  if (!found?.publicProduct) throw noPublicTemplate()
  // The hash is of the bytes of the document: the name of the template is not pinned by it.
  return isPinned && revision === undefined ? { data: found.data } : found
}

const onlyPublic = new Set(['publicProduct'] as const)

/** Finds what is pinned of a public template. Both together must fit: several revisions may have the same bytes. */
async function findPinned(db: Db, id: number, { revision, hash }: MetadataRequest) {
  const last = (await findProductTemplate(db, id, onlyPublic)) ?? (await findLastRevision(db, id))
  if (!last?.publicProduct) return undefined
  if (revision === undefined) return findRevisionByHash(db, hash as string, id)
  const pinned = revision <= maxInt ? await findRevision(db, id, revision) : undefined
  return pinned && (hash === undefined || hashOf(pinned.data) === hash) ? pinned : undefined
}

/** Finds the revision before the deletion of a template. */
async function findLastRevision(db: Db, id: number) {
  const [deletion] = await listRevisions(db, id, 1)
  return deletion && findRevision(db, id, deletion.number - 1)
}
