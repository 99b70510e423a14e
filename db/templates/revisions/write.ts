/**
 * Writes single templates. With every change of `product_template`, triggers copy the values before it to
 * `product_template_past` and insert a row without an author into `product_revision`, so that plain SQL has revisions, too.
 * A change here first inserts that row itself, with who wrote it, and why; a creation adds that to the row of the trigger.
 */
import { setImmediate } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { engineOf } from '../../dialects/engine.ts'
import { prepared } from '../../dialects/prepared.ts'
import type { Db, RevisionAction } from '../../schema.ts'
import { timestamp, timestampAfter } from '../../timestamp.ts'
import { transact } from '../../transaction.ts'
import { insertProductTemplates, updateProductTemplates } from '../index/write.ts'
import { chosenFields, type ProductTemplate, type TemplateValues } from '../table/columns.ts'
import { makeProblem } from '../validation/problem.ts'
import { type Problem, type ValidationOptions, validateTemplate } from '../validation/validate.ts'
import { recordRevision, setAuthor } from './author.ts'
import { takeId } from './free-id.ts'
import { type IdempotentRequest, keyReused, runOnce } from './idempotency.ts'
import { type Author, findRevision, lockTemplate, nobody, type PinnedTemplate } from './revisions.ts'

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
  const create = async (transaction: Db) => {
    const id = given ?? (await takeId(transaction))
    if (id === undefined) return refuse(makeProblem('NO_FREE_ID', 'no id is free', 'id'))
    if (given !== undefined && (await lockTemplate(transaction, id)))
      return refuse(makeProblem('ID_TAKEN', 'a template has this id', 'id'))
    const time = timestamp()
    const template = { id, ...values, timeCreated: time, timeModified: time }
    await insertProductTemplates(transaction, [template])
    return done(await setAuthor(transaction, template, 'CREATE', author), warnings)
  }
  const asList = ({ product, ...more }: Written) => ({ products: product ? [product] : [], ...more })
  return write(db, async transaction => {
    const { products, ...more } = await runOnce(transaction, once, asList(refuse(keyReused)), async () =>
      asList(await create(transaction))
    )
    return { product: products[0] ?? null, ...more }
  })
}

/** Changes some fields of a template. A change that changes nothing adds no revision. */
export const updateTemplate = (
  db: Db,
  id: number,
  changes: Partial<TemplateValues>,
  { author = nobody, rules = {}, expectedRevision }: WriteOptions = {}
): Promise<Written> =>
  writeExisting(db, id, expectedRevision, async (transaction, current) => {
    const changed = { ...current, ...pickValues(changes) }
    if (isDeepStrictEqual(changed, current)) return done(current)
    const { problems, warnings } = validateChange(changed, changes, rules)
    await setImmediate()
    if (problems.length > 0) return refuse(...problems)
    const template = { ...changed, timeModified: timestampAfter(current.timeModified) }
    return done(await update(transaction, current, template, 'UPDATE', author), warnings)
  })

/** Deletes a template; its revisions stay. */
export const deleteTemplate = (
  db: Db,
  id: number,
  { author = nobody, expectedRevision }: Omit<WriteOptions, 'rules'> = {}
): Promise<Written> =>
  writeExisting(db, id, expectedRevision, async (transaction, current) => {
    const { index } = engineOf(transaction)
    await recordRevision(transaction, current, null, 'DELETE', author)
    await index.write(transaction, [id], async () => {
      await prepared(transaction).deleteFrom('product_template').where('id', '=', id).execute()
      await index.removeDeleted(transaction, [id])
    })
    return done(current)
  })

/** Gives a template, also a deleted one, the fields of one of its revisions, as a new revision. */
export const restoreTemplate = (
  db: Db,
  id: number,
  revision: number,
  { author = nobody }: Pick<WriteOptions, 'author'> = {}
): Promise<Written> =>
  write(db, async transaction => {
    const past = await findRevision(transaction, id, revision)
    if (!past) return refuse(makeProblem('NOT_FOUND', 'the template has no such revision', 'revision'))
    const current = await lockTemplate(transaction, id)
    if (!current) {
      const template = { ...past, timeModified: timestampAfter(await lastModification(transaction, id)) }
      await insertProductTemplates(transaction, [template])
      return done(await setAuthor(transaction, template, 'RESTORE', author))
    }
    const restored = { ...current, ...pickValues(past) }
    if (isDeepStrictEqual(restored, current)) return done(current)
    const template = { ...restored, timeModified: timestampAfter(current.timeModified) }
    return done(await update(transaction, current, template, 'RESTORE', author))
  })

/** Gives a template, which is locked, other values. */
async function update(
  db: Db,
  current: PinnedTemplate,
  template: ProductTemplate,
  action: RevisionAction,
  author: Author
): Promise<PinnedTemplate> {
  const revision = await recordRevision(db, current, template.data, action, author)
  await updateProductTemplates(db, [template], [current])
  return { ...template, revision }
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

/** Each job first locks what it writes, so that writers wait for each other instead of starting again. */
const write = (db: Db, job: (transaction: Db) => Promise<Written>) => transact(db, job, 'read committed')

/** Runs a job on a template that exists and, if that matters to the writer, has not been changed. */
const writeExisting = (
  db: Db,
  id: number,
  expectedRevision: number | undefined,
  job: (transaction: Db, current: PinnedTemplate) => Promise<Written>
): Promise<Written> =>
  write(db, async transaction => {
    const current = await lockTemplate(transaction, id)
    if (!current) return refuse(makeProblem('NOT_FOUND', 'no template has this id', 'id'))
    const { revision } = current
    if ((expectedRevision ?? revision) === revision) return job(transaction, current)
    const message = `the template was changed: its revision is ${revision}`
    const conflict = { ...makeProblem('CONFLICT', message, 'expectedRevision'), currentRevision: revision }
    return { ...refuse(conflict), product: current }
  })

/** Validates changed fields only. A new componentName revalidates `data`. */
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

/** Copies the fields that a writer chooses and that are given. */
const pickValues = (given: Partial<TemplateValues>): Partial<TemplateValues> =>
  Object.fromEntries(
    chosenFields.filter(field => given[field] !== undefined).map(field => [field, given[field]])
  )
