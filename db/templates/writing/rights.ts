/** The rights of authors: nobody writes a template that a rule hides. `restore.ts` also tests the rule. */
import { sql } from 'kysely'
import { isStorable } from '../../../domain/text.ts'
import { hasMoreCharacters } from '../../../runtime/characters.ts'
import { yieldToEventLoop } from '../../../runtime/event-loop.ts'
import type { Actor } from '../../accounts/actors.ts'
import { engineOf } from '../../dialects/engine.ts'
import type { Db, Transaction } from '../../schema.ts'
import {
  namedColumns,
  selectTemplates,
  type TemplateWithRevision,
  wholeTemplate
} from '../product-templates.ts'
import { findTemplateAt } from '../revisions/revisions.ts'
import { permits, type TemplateRule } from '../rule.ts'

/** Who writes, with which rights and message. */
export interface Author extends Actor {
  message: string | null
  /** The id, a UUID, of the bulk change that a bulk write is part of. Without it, the bulk write gets a new one. */
  bulkChange?: string
  /** If false, a write that publishes or deletes a template rejects with {@link NotAllowed}. */
  mayPublish: boolean
  /**
   * Templates outside the rule are not found. A write whose result is outside rejects with {@link NotAllowed}. Without
   * a rule, the author may write all templates.
   */
  rule: TemplateRule | undefined
}

/** The author of writes by commands and by code, who may write everything. */
export const fullRights: Author = {
  subject: null,
  clientId: null,
  name: null,
  message: null,
  mayPublish: true,
  rule: undefined
}

/** Maximum characters of a message. */
export const maxMessageLength = 1000

/** Describes the problem of a message; undefined if there is none. */
export function findMessageProblem(message: string): string | undefined {
  if (hasMoreCharacters(message, maxMessageLength))
    return `message has more than ${maxMessageLength} characters`
  return isStorable(message) ? undefined : 'message must not contain U+0000 or lone surrogates'
}

/** The author lacks a right, so nothing is written. */
export class NotAllowed extends Error {
  override readonly name = 'NotAllowed'
  readonly code = 'PTS_NOT_ALLOWED'
  readonly reason: 'NO_RIGHT_TO_PUBLISH' | 'OUTSIDE_RULE'

  constructor(reason: NotAllowed['reason'], message: string) {
    super(message)
    this.reason = reason
  }
}

/** The stored templates that a write concerns. */
export interface StoredTemplates {
  /** The templates that the author sees and may write, by id, in ascending order if they are locked. */
  templates: Map<number, TemplateWithRevision>
  /** The ids of templates that the author's rule hides, and of deleted templates that it hid when they were deleted. */
  hidden: Set<number>
}

/**
 * Locks the templates with these ids until the transaction ends, in ascending order. Writes of stored templates find
 * them here or by {@link findStoredTemplates}, both with the rule. `missing-rights.ts` tests the results, also of new
 * templates.
 */
export const lockTemplates = (
  transaction: Transaction,
  ids: number[],
  author: Author
): Promise<StoredTemplates> => findStoredTemplates(transaction, ids, author, { locks: true })

/**
 * Finds the templates with these ids. With `locks`, locks them like {@link lockTemplates}. With `idsOnly`, reads only
 * the ids, unless there is a rule: only a rule needs the documents, which may be long.
 */
export async function findStoredTemplates(
  db: Db,
  ids: number[],
  { rule }: Author,
  { locks, idsOnly = false }: { locks: boolean; idsOnly?: boolean }
): Promise<StoredTemplates> {
  const { isOneOf, lockRows } = engineOf(db).syntax
  const isWanted = isOneOf(sql.ref('product_template.id'), ids)
  const templates = await selectTemplates(
    db,
    idsOnly && !rule ? namedColumns(['id']) : wholeTemplate,
    isWanted,
    locks ? sql`order by id ${lockRows}` : sql``
  )
  const stored: StoredTemplates = { templates: new Map(), hidden: new Set() }
  for (const template of templates) {
    if (permits(rule, template)) stored.templates.set(template.id, template)
    else stored.hidden.add(template.id)
    if (rule) await yieldToEventLoop()
  }
  if (rule) {
    const existing = new Set([...stored.templates.keys(), ...stored.hidden])
    const missing = ids.filter(id => !existing.has(id))
    for await (const { id, contents } of listDeleted(db, missing))
      if (!permits(rule, contents)) stored.hidden.add(id)
  }
  return stored
}

/** The deletion of a template. */
interface Deletion {
  id: number
  /** Number of the revision that deleted the template. */
  revision: number
  /** When the template was last modified. */
  timeModified: string
}

/** Finds the deletions of templates that are not stored. An id that was never used has none. */
export async function findDeletions(db: Db, ids: number[]): Promise<Map<number, Deletion>> {
  if (ids.length === 0) return new Map()
  const { isOneOf } = engineOf(db).syntax
  const { rows } = await sql<Deletion>`
    select template_id as id, max(time_modified) as "timeModified", (
      select max(number) from product_revision where product_revision.template_id = past.template_id
    ) as revision
    from product_template_past as past where ${isOneOf(sql.ref('past.template_id'), ids)} group by template_id`.execute(
    db
  )
  return new Map(rows.map(row => [row.id, row]))
}

/**
 * Yields the contents of deleted templates when they were deleted, which decide who may use their ids again. They come
 * one by one, because documents may be long.
 */
export async function* listDeleted(db: Db, ids: number[]) {
  for (const { id, revision } of (await findDeletions(db, ids)).values()) {
    await yieldToEventLoop()
    const contents = await findTemplateAt(db, id, revision - 1)
    if (contents) yield { id, contents }
  }
}
