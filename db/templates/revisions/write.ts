import { setImmediate } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { type RawBuilder, sql } from 'kysely'
import { engineOf } from '../../dialects/engine.ts'
import { prepared } from '../../dialects/prepared.ts'
import type { Db, RevisionAction } from '../../schema.ts'
import { timestamp, timestampAfter } from '../../timestamp.ts'
import { transact } from '../../transaction.ts'
import { chosenFields } from '../table/columns.ts'
import {
  insertProductTemplates,
  maxInt,
  type ProductTemplate,
  updateProductTemplates
} from '../table/product-templates.ts'
import { makeProblem } from '../validation/problem.ts'
import { type Problem, type ValidationOptions, validateTemplate } from '../validation/validate.ts'
import { type IdempotentRequest, runOnce } from './idempotency.ts'
import {
  type Author,
  findRevision,
  lockTemplate,
  nobody,
  type PinnedTemplate,
  signRevision
} from './revisions.ts'

/** The values that a writer chooses; the service sets the times. */
export type TemplateValues = Omit<ProductTemplate, 'id' | 'timeCreated' | 'timeModified'>

/** Why nothing was written. */
export interface WriteProblem extends Omit<Problem, 'code'> {
  code:
    | Problem['code']
    | 'NOT_FOUND'
    | 'CONFLICT'
    | 'ID_TAKEN'
    | 'NO_FREE_ID'
    | 'AMBIGUOUS'
    | 'IDEMPOTENCY_KEY_REUSED'
  /** For a conflict, the number of the current revision. */
  currentRevision?: number
}

/** What a write has done: nothing if there are problems. */
export interface Written {
  /** The template after the write; before it if it was deleted; as it is now if there is a conflict. */
  product: PinnedTemplate | null
  problems: WriteProblem[]
  /** Problems of the document that the rules accept. */
  warnings: Problem[]
}

export interface WriteOptions {
  /** Nobody if omitted. */
  author?: Author
  /** Write only if this is the number of the current revision. */
  expectedRevision?: number | undefined
  /** By default the document must match the JSON Schema. */
  rules?: ValidationOptions
}

/** Creates a template, by default with the id after the highest that was ever used. */
export async function createTemplate(
  db: Db,
  { id: given, ...values }: TemplateValues & { id?: number | undefined },
  { author = nobody, rules = {}, once }: WriteOptions & { once?: IdempotentRequest | undefined } = {}
): Promise<Written> {
  const { problems, warnings } = validateTemplate({ ...values, id: given }, rules)
  if (problems.length > 0) return refuse(...problems)
  await setImmediate()
  return write(db, transaction =>
    runOnce(transaction, once, keptCreation(transaction), async () => {
      const id = given ?? (await findFreeId(transaction))
      if (id === undefined) return refuse(makeProblem('NO_FREE_ID', 'no id is free', 'id'))
      if (await lockTemplate(transaction, id))
        return refuse(makeProblem('ID_TAKEN', 'a template has this id', 'id'))
      const time = timestamp()
      const template = { id, ...values, timeCreated: time, timeModified: time }
      return done(await insert(transaction, template, author, 'CREATE'), warnings)
    })
  )
}

/** Returns the time of the last modification of a deleted template. */
async function lastModification(db: Db, id: number): Promise<string> {
  const { time } = await db
    .selectFrom('product_template_past')
    .select(({ fn }) => fn.max('time_modified').as('time'))
    .where('template_id', '=', id)
    .executeTakeFirstOrThrow()
  return time
}

const keptCreation = (db: Db) => ({
  keep: ({ product, warnings }: Written) =>
    product ? { id: product.id, revision: product.revision, warnings } : undefined,
  repeat: async ({ id, revision, warnings }: { id: number; revision: number; warnings: Problem[] }) => ({
    product: (await findRevision(db, id, revision)) ?? null,
    problems: [],
    warnings
  }),
  reused: () => refuse(keyReused)
})

/** Changes some fields of a template. A change that changes nothing adds no revision. */
export function updateTemplate(
  db: Db,
  id: number,
  changes: Partial<TemplateValues>,
  { author = nobody, rules = {}, expectedRevision }: WriteOptions = {}
): Promise<Written> {
  return write(db, async transaction => {
    const current = await lockTemplate(transaction, id)
    const refusal = refuseUnexpected(current, expectedRevision)
    if (refusal) return refusal
    const changed = { ...(current as PinnedTemplate), ...pickValues(changes) }
    if (isDeepStrictEqual(changed, current)) return done(current as PinnedTemplate)
    const { problems, warnings } = validateChange(changed, changes, rules)
    await setImmediate()
    if (problems.length > 0) return refuse(...problems)
    return done(await change(transaction, changed, author, 'UPDATE'), warnings)
  })
}

/** Deletes a template; its revisions stay. */
export function deleteTemplate(
  db: Db,
  id: number,
  { author = nobody, expectedRevision }: Omit<WriteOptions, 'rules'> = {}
): Promise<Written> {
  return write(db, async transaction => {
    const current = await lockTemplate(transaction, id)
    const refusal = refuseUnexpected(current, expectedRevision)
    if (refusal) return refusal
    const { revision } = current as PinnedTemplate
    const { index } = engineOf(transaction)
    await index.write(transaction, [id], async () => {
      await prepared(transaction).deleteFrom('product_template').where('id', '=', id).execute()
      await index.remove(transaction, [id])
    })
    await signRevision(transaction, { id, revision: revision + 1, data: null }, 'DELETE', author)
    return done(current as PinnedTemplate)
  })
}

/** Gives a template, also a deleted one, the fields of one of its revisions, as a new revision. */
export function restoreTemplate(
  db: Db,
  id: number,
  revision: number,
  { author = nobody }: Pick<WriteOptions, 'author'> = {}
): Promise<Written> {
  return write(db, async transaction => {
    const past = await findRevision(transaction, id, revision)
    if (!past) return refuse(makeProblem('NOT_FOUND', 'the template has no such revision', 'revision'))
    const current = await lockTemplate(transaction, id)
    if (!current) {
      const template = { ...past, timeModified: timestampAfter(await lastModification(transaction, id)) }
      return done(await insert(transaction, template, author, 'RESTORE'))
    }
    const restored = { ...current, ...pickValues(past) }
    if (isDeepStrictEqual(restored, current)) return done(current)
    return done(await change(transaction, restored, author, 'RESTORE'))
  })
}

/** Each job first locks what it writes, so that writers wait for each other instead of starting again. */
const write = (db: Db, job: (transaction: Db) => Promise<Written>) => transact(db, job, 'read committed')

/** Checks what changes: what was stored once stays valid. The name of the component decides which document is. */
function validateChange(changed: PinnedTemplate, changes: Partial<TemplateValues>, rules: ValidationOptions) {
  const fields = Object.keys(changes)
  if ('componentName' in changes) fields.push('data')
  // Only a document has more problems than are reported: that has no path.
  const concerns = ({ path: [field = 'data'] }: Problem) => fields.includes(field)
  const { problems, warnings } = validateTemplate(changed, rules)
  return { problems: problems.filter(concerns), warnings: warnings.filter(concerns) }
}

const done = (product: PinnedTemplate, warnings: Problem[] = []): Written => ({
  product,
  problems: [],
  warnings
})

/** Writes nothing. */
export const refuse = (...problems: WriteProblem[]): Written => ({ product: null, problems, warnings: [] })

export const keyReused = makeProblem(
  'IDEMPOTENCY_KEY_REUSED',
  'the Idempotency-Key was used for another request'
)

function refuseUnexpected(
  current: PinnedTemplate | undefined,
  expectedRevision: number | undefined
): Written | undefined {
  if (!current) return refuse(makeProblem('NOT_FOUND', 'no template has this id', 'id'))
  const { revision } = current
  if (expectedRevision === undefined || expectedRevision === revision) return undefined
  const message = `the template was changed: its revision is ${revision}`
  const conflict = { ...makeProblem('CONFLICT', message, 'expectedRevision'), currentRevision: revision }
  return { ...refuse(conflict), product: current }
}

/** Finds the highest free id after one that was ever used: the revisions of deleted templates stay. */
export async function findFreeId(db: Db): Promise<number | undefined> {
  await engineOf(db).lockIds(db)
  // Each reads its index from the end up to the first gap.
  const last = (table: string, column: string) => sql`select id from (
    select ${sql.ref(column)} as id from ${sql.table(table)} as used
    where ${sql.ref(column)} < ${maxInt} and ${isFree(sql`used.${sql.ref(column)} + 1`)}
    order by ${sql.ref(column)} desc limit 1) as last`
  const { rows } = await sql<{ id: number | null }>`select max(id) + 1 as id from (
    ${last('product_template', 'id')} union all ${last('product_revision', 'template_id')}
    union all select 0 where ${isFree(sql`1`)}) as found`.execute(prepared(db))
  return rows[0]?.id ?? undefined
}

/** Not `not exists`, for which PostgreSQL may read whole tables. */
const isFree = (id: RawBuilder<unknown>): RawBuilder<boolean> => sql`
  (select 1 from product_template where id = ${id} limit 1) is null
  and (select 1 from product_revision where template_id = ${id} limit 1) is null`

async function insert(
  db: Db,
  template: ProductTemplate,
  author: Author,
  action: RevisionAction
): Promise<PinnedTemplate> {
  await insertProductTemplates(db, [template])
  return sign(db, template, author, action)
}

async function change(
  db: Db,
  changed: PinnedTemplate,
  author: Author,
  action: RevisionAction
): Promise<PinnedTemplate> {
  const template = { ...changed, timeModified: timestampAfter(changed.timeModified) }
  await updateProductTemplates(db, [template])
  return sign(db, template, author, action)
}

/** Adds the author to the revision that triggers have recorded. */
async function sign(
  db: Db,
  template: ProductTemplate,
  author: Author,
  action: RevisionAction
): Promise<PinnedTemplate> {
  const { revision } = await prepared(db)
    .selectFrom('product_template')
    .select('revision')
    .where('id', '=', template.id)
    .executeTakeFirstOrThrow()
  const written = { ...template, revision: revision as number }
  await signRevision(db, written, action, author)
  return written
}

/** Copies the fields that a writer chooses and that are given. */
const pickValues = (given: Partial<TemplateValues>): Partial<TemplateValues> =>
  Object.fromEntries(
    Object.entries(given).filter(
      ([field, value]) => (chosenFields as string[]).includes(field) && value !== undefined
    )
  )
