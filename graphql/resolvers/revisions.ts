import type { GraphQLResolveInfo } from 'graphql'
import type { Actor } from '../../db/accounts/names.ts'
import { fromRevisionCursor, toRevisionCursor } from '../../db/cursors.ts'
import type { FoundTemplate } from '../../db/templates/product-templates.ts'
import {
  findRecord,
  findRevision,
  findRevisions,
  listRevisions,
  type Revision,
  seenRevisions
} from '../../db/templates/revisions/revisions.ts'
import type { TemplateRule } from '../../db/templates/rule.ts'
import { formatHash, hashOf } from '../../domain/document.ts'
import { readCost } from '../costs.ts'
import { type FieldDemands, pageOf } from '../demands.ts'
import { query, type Reading } from '../fields.ts'
import { type ListArguments, readCursor, readFirst, sizes, toConnection, toNodeId } from '../relay.ts'
import { isSelected, selectedContents } from '../selection.ts'

const diffDemands: FieldDemands = { work: () => 2 * readCost }

/** Resolves the difference between two revisions; null if the caller sees no contents of one of them. */
export const revisionDiff = query(
  diffDemands,
  async (given: { id: number; from: number; to: number }, read) => {
    const { id, from, to } = given
    const [before, after] = [await findRevision(read.db, id, from), await findRevision(read.db, id, to)]
    if (!before || !after || !read.sees(before) || !read.sees(after)) return null
    read.moveIf(before.data.length + after.data.length > maxComparedHere)
    // Loaded on demand, because few clients use it and its libraries are large.
    const { diffRevisions } = await import('../../db/templates/revisions/diff.ts')
    return diffRevisions(before, after)
  }
)

/** Characters of two documents that are compared on the service's thread. */
const maxComparedHere = 2 ** 15

/** Resolves a page of the revisions of a template, which may be deleted. */
export const productRevisions = query(
  { items: pageOf(sizes.revisions) },
  ({ id, ...given }: ListArguments & { id: number }, read, info) => readPage(id, given, read, info)
)

/** Resolves a page of the revisions of a template in any list. */
export const revisions = Object.assign(
  ({ id }: FoundTemplate, given: ListArguments, read: Reading, info: GraphQLResolveInfo) =>
    readPage(id, given, read, info),
  { demands: { items: pageOf(sizes.revisions) } satisfies FieldDemands }
)

async function readPage(
  id: number,
  { first, after }: ListArguments,
  read: Reading,
  info: GraphQLResolveInfo
) {
  const limit = readFirst(first, sizes.revisions)
  const before = readCursor(after, fromRevisionCursor)
  const { rule } = read
  const start = rule ? await findNewestSeen(id, rule, read, before) : before
  const found = start === null ? [] : await listRevisions(read.db, id, limit + 1, start)
  const page = found.slice(0, limit)
  // The rule may make the page shorter.
  const listed = rule ? await seenRevisions(read.db, rule.filter, page) : page
  const nodes = await complete(listed, read, info)
  const edges = nodes.map(node => ({ cursor: toRevisionCursor(node), node }))
  // With a cursor there is always a newer revision: the revision of the cursor.
  const pages = { hasNextPage: found.length > limit, hasPreviousPage: after != null }
  const last = page.at(-1)
  return toConnection(edges, pages, last && toRevisionCursor(last))
}

/**
 * Finds the number above the newest revision that the caller sees; null if there is none. Pages begin there, because cursors
 * above it would reveal how many hidden revisions the template has. Mostly, the caller sees the first one.
 */
async function findNewestSeen(
  id: number,
  rule: TemplateRule,
  read: Reading,
  before?: number,
  size = 1
): Promise<number | null> {
  const found = await listRevisions(read.db, id, size, before)
  const [newest] = await seenRevisions(read.db, rule.filter, found)
  if (newest) return newest.number + 1
  return found.length < size ? null : findNewestSeen(id, rule, read, found.at(-1)?.number, revisionsAtOnce)
}

/** Resolves a revision of a template, which may be deleted. */
export const productRevision = query({}, ({ id, number }: { id: number; number: number }, read, info) =>
  readRevision(id, number, read, info)
)

/** Reads the selected fields of a revision; null if the caller sees no such revision. */
export async function readRevision(id: number, number: number, read: Reading, info: GraphQLResolveInfo) {
  const { rule } = read
  const found = await findRecord(read.db, id, number)
  const listed = found ? [found] : []
  const seen = rule ? await seenRevisions(read.db, rule.filter, listed) : listed
  return (await complete(seen, read, info))[0] ?? null
}

/** Adds the selected contents and authors to revisions, with a few statements. */
async function complete(listed: Revision[], read: Reading, info: GraphQLResolveInfo) {
  const numbers = listed.map(({ id, number }) => ({ id, revision: number }))
  const contents = await findContents(numbers, read, info)
  const authors = isSelected(info, 'author') ? await findAuthors(listed, read) : []
  return listed.map((revision, index) => ({ ...revision, contents: contents[index], author: authors[index] }))
}

async function findAuthors(revisions: Revision[], read: Reading) {
  const names = await read.findNames(revisions)
  return names.map((found, index) => found && { ...found, actor: revisions[index] as Actor })
}

export const RevisionAuthor = {
  nodeId: ({ actor: { subject, clientId, name } }: { actor: Actor }) =>
    toNodeId('RevisionAuthor', subject, clientId as string, name)
}

/** The fields of a revision that are stored under another name. */
export const ProductRevision = {
  nodeId: ({ id, number }: Revision) => toNodeId('ProductRevision', id, number),
  templateId: ({ id }: Revision) => id,
  hash: ({ id, number, hash, action }: Revision, _given: object, read: Reading) => {
    if (action === 'DELETE') return null
    return hash === null ? computeHash(id, number, read) : formatHash(hash)
  },
  time: ({ timeRecorded }: Revision) => timeRecorded
}

/** Computes a hash that is still missing: SQLite's triggers cannot compute it. */
async function computeHash(id: number, number: number, read: Reading) {
  const template = await findRevision(read.db, id, number)
  return template && formatHash(hashOf(template.data))
}

/** Revisions that one statement finds. */
const revisionsAtOnce = 100

/** Finds the contents of revisions, in their order, with a few statements; an empty list if none are selected. */
export async function findContents(
  revisions: readonly { id: number; revision: number }[],
  read: Reading,
  info: GraphQLResolveInfo
): Promise<(FoundTemplate | undefined)[]> {
  const fields = selectedContents(info)
  const found: (FoundTemplate | undefined)[] = []
  for (let start = 0; fields && start < revisions.length; start += revisionsAtOnce) {
    const some = revisions.slice(start, start + revisionsAtOnce)
    found.push(...(await findRevisions(read.db, some, fields.has('data'))))
  }
  return found
}
