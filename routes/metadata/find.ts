import type { Db } from '../../db/schema.ts'
import type { MetadataSource } from '../../db/templates/metadata/write.ts'
import { unmetered } from '../../db/templates/meter.ts'
import { findRevisionByHash } from '../../db/templates/revisions/find-by-hash.ts'
import { findRevision, listRevisions } from '../../db/templates/revisions/revisions.ts'
import { hashOf } from '../../db/templates/table/document-hash.ts'
import { findProductTemplate, maxInt, readDocument } from '../../db/templates/table/product-templates.ts'
import { noPublicTemplate, unavailable } from '../../errors.ts'

/** What a request asks for. */
export interface MetadataRequest {
  /** undefined if it is malformed. */
  id: number | undefined
  /** Number of a revision. */
  revision?: number | undefined
  /** SHA-256 of `data`, hex. */
  hash?: string | undefined
}

/** Attempts to read a template that others change meanwhile. */
const attempts = 5

/** Reads an id: a decimal number, or the 64 hexadecimal digits by which EIP-1155 clients replace `{id}`. */
export function parseId(text: string): number | undefined {
  const isHex = /^[0-9a-f]{64}$/.test(text)
  if (!isHex && !/^(0|[1-9]\d{0,9})$/.test(text)) return undefined
  const id = isHex ? Number.parseInt(text, 16) : Number(text)
  return id <= maxInt ? id : undefined
}

/**
 * Finds a public template with its whole document, or a pinned revision of it. The template must have been public in
 * that revision, and must be public now or have been public when it was deleted. All others get the same 404. If the
 * document may be long, `enter` resolves when it may be read.
 */
export async function findPublicTemplate(
  db: Db,
  request: MetadataRequest,
  enter: () => Promise<void>
): Promise<MetadataSource> {
  const { id, revision, hash } = request
  if (id === undefined) throw noPublicTemplate()
  if (revision === undefined && hash === undefined) return findCurrent(db, id, enter)
  const last = (await findProductTemplate(db, id, onlyPublic)) ?? (await findLastRevision(db, id))
  if (!last?.publicProduct) throw noPublicTemplate()
  await enter()
  const pinned = await findPinned(db, id, request)
  if (!pinned?.publicProduct) throw noPublicTemplate()
  // The hash is of the bytes of the document: the name of the template is not pinned by it.
  return revision === undefined ? { data: pinned.data } : pinned
}

const onlyPublic = new Set(['publicProduct'] as const)
const metadataFields = new Set(['name', 'publicProduct', 'data'] as const)

/** Finds the revision before the deletion of a template. */
async function findLastRevision(db: Db, id: number) {
  const [deletion] = await listRevisions(db, id, 1)
  return deletion && findRevision(db, id, deletion.number - 1)
}

/** Finds what is pinned. Both together must fit: several revisions may have the same bytes. */
async function findPinned(db: Db, id: number, { revision, hash }: MetadataRequest) {
  if (revision === undefined) return findRevisionByHash(db, hash as string, id)
  const pinned = revision <= maxInt ? await findRevision(db, id, revision) : undefined
  return pinned && (hash === undefined || hashOf(pinned.data) === hash) ? pinned : undefined
}

async function findCurrent(db: Db, id: number, enter: () => Promise<void>): Promise<MetadataSource> {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const template = await findProductTemplate(db, id, metadataFields)
    if (!template?.publicProduct) throw noPublicTemplate()
    if (template.data === null) await enter()
    const data = template.data ?? (await readDocument(db, template, unmetered()))
    if (data !== undefined) return { name: template.name, data }
  }
  throw unavailable('a template was changed while it was read')
}
