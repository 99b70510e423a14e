import type { GraphQLResolveInfo } from 'graphql'
import type { Actor } from '../../db/accounts/actors.ts'
import { fromRevisionCursor, toRevisionCursor } from '../../db/cursors.ts'
import type { PartialTemplate, TemplateWithRevision } from '../../db/templates/product-templates.ts'
import {
  findRevision,
  findTemplateAt,
  findTemplatesAt,
  listRevisions,
  type Revision,
  selectVisibleRevisions
} from '../../db/templates/revisions/revisions.ts'
import { permits, type TemplateRule } from '../../db/templates/rule.ts'
import { formatHash, hashData } from '../../domain/document.ts'
import { diffCost, lookUpCost } from '../admission/unit-costs.ts'
import { cacheableField, type FieldContext, findNames } from '../fields.ts'
import { type ListArguments, listSizes, pageOf, readPage, toNodeId } from '../relay.ts'
import { findSelectedContents, isSelected } from '../selection.ts'

/** Resolves the difference between two revisions; null if the caller sees no contents of one of them. */
export const revisionDiff = cacheableField(
  { ownCost: () => 2 * lookUpCost + diffCost },
  async (_root, args: { id: number; from: number; to: number }, context) => {
    const { id, from, to } = args
    const [before, after] = [
      await findTemplateAt(context.reader.db, id, from),
      await findTemplateAt(context.reader.db, id, to)
    ]
    if (!before || !after || !permits(context.rule, before) || !permits(context.rule, after)) return null
    return compareRevisions(before, after)
  }
)

/** Loads the code on demand, because few clients use it and its libraries are large. */
export async function compareRevisions(before: TemplateWithRevision, after: TemplateWithRevision) {
  const { diffRevisions } = await import('../../domain/diff.ts')
  return diffRevisions(before, after)
}

/** Resolves a page of the revisions of a template, which may be deleted. */
export const productRevisions = cacheableField(
  { items: pageOf(listSizes.revisions) },
  (_root, { id, ...args }: ListArguments & { id: number }, context, info) =>
    readRevisions(id, args, context, info)
)

/** Resolves a page of the revisions of a template in any list. */
export const revisions = cacheableField(
  { items: pageOf(listSizes.revisions) },
  ({ id }: PartialTemplate, args: ListArguments, context, info) => readRevisions(id, args, context, info)
)

const readRevisions = (id: number, args: ListArguments, context: FieldContext, info: GraphQLResolveInfo) =>
  readPage(args, {
    size: listSizes.revisions,
    fromCursor: fromRevisionCursor,
    async read(limit, before) {
      const { rule, reader } = context
      const start = rule ? await findNewestVisible(id, rule, context, before) : before
      return start === null ? [] : listRevisions(reader.db, id, limit, start)
    },
    toCursor: toRevisionCursor,
    select: page => selectVisible(page, context),
    toNodes: page => addSelected(page, context, info)
  })

/** Selects the revisions that the caller sees. */
export const selectVisible = async <R extends Revision>(
  page: R[],
  { rule, reader }: FieldContext
): Promise<R[]> => (rule ? selectVisibleRevisions(reader.db, rule.filter, page) : page)

/**
 * Finds the number above the newest revision that the caller sees; null if there is none. Pages begin there, because
 * cursors above it would reveal how many hidden revisions the template has. Mostly, the caller sees the first one.
 */
async function findNewestVisible(
  id: number,
  rule: TemplateRule,
  context: FieldContext,
  before?: number,
  size = 1
): Promise<number | null> {
  const revisions = await listRevisions(context.reader.db, id, size, before)
  const [newest] = await selectVisibleRevisions(context.reader.db, rule.filter, revisions)
  if (newest) return newest.number + 1
  return revisions.length < size
    ? null
    : findNewestVisible(id, rule, context, revisions.at(-1)?.number, revisionsAtOnce)
}

/** Resolves a revision of a template, which may be deleted. */
export const productRevision = cacheableField(
  {},
  (_root, { id, number }: { id: number; number: number }, context, info) =>
    readRevision(id, number, context, info)
)

/** Reads the selected fields of a revision; null if the caller sees no such revision. */
export async function readRevision(
  id: number,
  number: number,
  context: FieldContext,
  info: GraphQLResolveInfo
) {
  const revision = await findRevision(context.reader.db, id, number)
  const visible = await selectVisible(revision ? [revision] : [], context)
  return (await addSelected(visible, context, info))[0] ?? null
}

/** Adds the contents and the authors to revisions, if they are selected, with a few statements. */
export async function addSelected<R extends Revision>(
  listed: R[],
  context: FieldContext,
  info: GraphQLResolveInfo
) {
  const numbers = listed.map(({ id, number }) => ({ id, revision: number }))
  const contents = await findContents(numbers, context, info)
  const authors = await findAuthors(listed, context, info)
  return listed.map((revision, index) => ({ ...revision, contents: contents[index], author: authors[index] }))
}

/** Finds the names of authors, in their order; an empty list if the names are not selected. */
export async function findAuthors(actors: Actor[], context: FieldContext, info: GraphQLResolveInfo) {
  const names: Awaited<ReturnType<typeof findNames>> = []
  if (!isSelected(info, 'author')) return []
  for (let start = 0; start < actors.length; start += namesAtOnce)
    names.push(...(await findNames(context, actors.slice(start, start + namesAtOnce))))
  return names.map((name, index) => name && { ...name, actor: actors[index] as Actor })
}

/** Authors whose names one statement finds. */
const namesAtOnce = 100

export const RevisionAuthor = {
  nodeId: ({ actor: { subject, clientId, name } }: { actor: Actor }) =>
    toNodeId('RevisionAuthor', subject, clientId as string, name)
}

/** The fields of a revision that are stored under another name. */
export const ProductRevision = {
  nodeId: ({ id, number }: Revision) => toNodeId('ProductRevision', id, number),
  templateId: ({ id }: Revision) => id,
  hash: ({ id, number, hash, action }: Revision, _args: object, context: FieldContext) => {
    if (action === 'DELETE') return null
    return hash === null ? computeHash(id, number, context) : formatHash(hash)
  },
  time: ({ timeRecorded }: Revision) => timeRecorded,
  isLatest: ({ isLatest }: Revision) => isLatest === 1
}

/** Computes a hash that is still missing: SQLite's triggers cannot compute it. */
async function computeHash(id: number, number: number, context: FieldContext) {
  const template = await findTemplateAt(context.reader.db, id, number)
  return template && formatHash(hashData(template.data))
}

/** Revisions that one statement finds. */
const revisionsAtOnce = 100

/** Finds the contents of revisions, in their order, with a few statements; an empty list if none are selected. */
export async function findContents(
  revisions: readonly { id: number; revision: number }[],
  context: FieldContext,
  info: GraphQLResolveInfo
): Promise<(PartialTemplate | undefined)[]> {
  const fields = findSelectedContents(info)
  const contents: (PartialTemplate | undefined)[] = []
  for (let start = 0; fields && start < revisions.length; start += revisionsAtOnce) {
    const batch = revisions.slice(start, start + revisionsAtOnce)
    contents.push(...(await findTemplatesAt(context.reader.db, batch, fields.has('data'))))
  }
  return contents
}
