/** Writes single templates, each in a transaction of its own. */
import { type RawBuilder, sql } from 'kysely'
import { maxInt, type TemplateValues } from '../../../domain/columns.ts'
import { timestamp } from '../../../domain/timestamp.ts'
import { makeProblem } from '../../../domain/validation/problem.ts'
import { type ValidationOptions, validateTemplate } from '../../../domain/validation/validate.ts'
import { yieldToEventLoop } from '../../../runtime/event-loop.ts'
import { engineOf } from '../../dialects/engine.ts'
import { prepared } from '../../dialects/prepared.ts'
import type { Db, RevisionAction, Transaction } from '../../schema.ts'
import { isTransaction, transact } from '../../transaction.ts'
import { writeDecisions } from './apply.ts'
import {
  type Decision,
  decideChange,
  decideStored,
  deletion,
  refuse,
  toWriteResult,
  type Write,
  type WriteResult,
  type WriteTarget
} from './decisions.ts'
import { type IdempotentRequest, keyReused, runIdempotently } from './idempotency.ts'
import { restoration } from './restore.ts'
import { type Author, lockTemplates } from './rights.ts'

export interface WriteOptions extends Pick<WriteTarget, 'expectedRevision'> {
  author: Author
  /** By default the document must match the JSON Schema. */
  validation?: ValidationOptions | undefined
  /** Write, then roll back. The result is that of the write. */
  dryRun?: boolean | undefined
}

/** Creates a template, by default with the id after the highest that was ever used. */
export async function createTemplate(
  db: Db,
  { id: chosenId, ...values }: TemplateValues & { id?: number | undefined },
  { author, validation = {}, once, dryRun }: WriteOptions & { once?: IdempotentRequest | undefined }
): Promise<WriteResult> {
  const { problems, warnings } = validateTemplate({ ...values, id: chosenId }, validation)
  if (problems.length > 0) return toWriteResult(refuse(...problems))
  await yieldToEventLoop()
  const decide = async (transaction: Transaction): Promise<Decision> => {
    const id = chosenId ?? (await takeId(transaction))
    if (id === undefined) return refuse(makeProblem('NO_FREE_ID', 'no id is free', 'id'))
    const holder = chosenId !== undefined && (await lockTemplates(prepared(transaction), [id], author))
    if (holder && holder.templates.size + holder.hidden.size > 0)
      return refuse(makeProblem('ID_TAKEN', 'another template has this id', 'id'))
    const time = timestamp()
    return { kind: 'create', after: { id, ...values, timeCreated: time, timeModified: time }, warnings }
  }
  const job = (transaction: Transaction) =>
    runIdempotently(transaction, once, toWriteResult(refuse(keyReused)), async () =>
      writeOne(transaction, await decide(transaction), 'CREATE', author)
    )
  return transactOrDryRun(db, job, dryRun)
}

/** Changes fields of a template. If they stay the same, there is no new revision. */
export const updateTemplate = (
  db: Db,
  id: number,
  values: Partial<TemplateValues>,
  { validation = {}, ...options }: WriteOptions
): Promise<WriteResult> => {
  const decide = decideStored(before => decideChange(before, values, validation))
  return writeStored(db, { id }, { action: 'UPDATE', decide }, options)
}

/** Deletes a template. Its revisions stay. */
export const deleteTemplate = (
  db: Db,
  id: number,
  options: Omit<WriteOptions, 'validation'>
): Promise<WriteResult> => writeStored(db, { id }, deletion, options)

/** Gives a template, which may be deleted, the fields of one of its revisions, as a new revision. */
export const restoreTemplate = (
  db: Db,
  id: number,
  revision: number,
  options: Omit<WriteOptions, 'validation'>
): Promise<WriteResult> => writeStored(db, { id, revision }, restoration, options)

/** Locks a template, decides the effect of the write, and carries out the decision. */
const writeStored = <Each extends WriteTarget>(
  db: Db,
  named: Each,
  { action, decide }: Write<Each>,
  { author, expectedRevision, dryRun }: WriteOptions
): Promise<WriteResult> => {
  const job = async (transaction: Transaction) => {
    const stored = await lockTemplates(prepared(transaction), [named.id], author)
    const [decision] = await decide([{ ...named, expectedRevision }], stored, { transaction, author })
    return writeOne(transaction, decision as Decision, action, author)
  }
  return transactOrDryRun(db, job, dryRun)
}

const writeOne = async (
  transaction: Transaction,
  decision: Decision,
  action: RevisionAction,
  author: Author
): Promise<WriteResult> => (await writeDecisions(transaction, [decision], action, author))[0] as WriteResult

/** Runs a job in a transaction. It first locks its template, so writers wait for each other instead of retrying. */
async function transactOrDryRun(
  db: Db,
  job: (transaction: Transaction) => Promise<WriteResult>,
  dryRun = false
): Promise<WriteResult> {
  const isolation = 'read committed'
  if (!dryRun) return transact(db, job, { isolation })
  return { ...(await transact(db, job, { isolation, rollBackIf: () => true })), isDryRun: true }
}

/** Takes an id for a new template, from the sequence if possible; undefined if no id is free. */
export async function takeId(transaction: Transaction): Promise<number | undefined> {
  const [taken] = await takeIds(transaction, 1)
  return taken ?? findFreeId(transaction, { locks: true })
}

/**
 * Takes at most `count` free ids from the sequence, so that writers do not wait for each other. Takes none if the
 * engine has no sequence, or if the next ids are used or there are no more.
 */
export async function takeIds(transaction: Transaction, count: number): Promise<number[]> {
  const mayBeUsed = (id: RawBuilder<unknown>) => sql<boolean>`${id} <= ${sql.lit(maxInt)} and ${isFree(id)}`
  const query = engineOf(transaction).takeIds?.(count, mayBeUsed)
  const { rows } = query ? await query.execute(prepared(transaction)) : { rows: [] }
  return rows.map(({ id }) => id)
}

/**
 * Finds the highest free id after a used one. Ids of deleted templates count as used, because their revisions stay.
 * With `locks`, it holds a lock until the transaction ends, so that two writers never get the same id.
 */
export async function findFreeId(db: Db, { locks }: { locks: boolean }): Promise<number | undefined> {
  if (locks && isTransaction(db)) await engineOf(db).lock(db, 'ids')
  // Each query reads its index from the end up to the first gap.
  const last = (table: string, column: string) => sql`select id from (
    select ${sql.ref(column)} as id from ${sql.table(table)} as used
    where ${sql.ref(column)} < ${maxInt} and ${isFree(sql`used.${sql.ref(column)} + 1`)}
    order by ${sql.ref(column)} desc limit 1) as last`
  const { rows } = await sql<{ id: number | null }>`select max(id) + 1 as id from (
    ${last('product_template', 'id')} union all ${last('product_revision', 'template_id')}
    union all select 0 where ${isFree(sql`1`)}) as found`.execute(prepared(db))
  return rows[0]?.id ?? undefined
}

/** Finds the lowest used id above another id. */
export async function findUsedId(db: Db, above: number): Promise<number | undefined> {
  const { rows } = await sql<{ id: number | null }>`select min(id) as id from (
    select min(id) as id from product_template where id > ${above}
    union all select min(template_id) from product_revision where template_id > ${above}) as used`.execute(db)
  return rows[0]?.id ?? undefined
}

/** Tests whether an id is free. For `not exists`, PostgreSQL may read whole tables. */
const isFree = (id: RawBuilder<unknown>): RawBuilder<boolean> => sql`
  (select 1 from product_template where id = ${id} limit 1) is null
  and (select 1 from product_revision where template_id = ${id} limit 1) is null`
