/** Writes single templates, each in a transaction of its own. */
import { prepared } from '../../dialects/prepared.ts'
import type { Db, RevisionAction, Transaction } from '../../schema.ts'
import { timestamp } from '../../timestamp.ts'
import { transact, transactOrUndo } from '../../transaction.ts'
import { takeTurn } from '../meter.ts'
import { permits } from '../rules/rule.ts'
import type { TemplateValues } from '../table/columns.ts'
import { makeProblem } from '../validation/problem.ts'
import { type ValidationOptions, validateTemplate } from '../validation/validate.ts'
import { removeTemplates } from './apply.ts'
import {
  conflict,
  type Decision,
  decideChange,
  decideCreation,
  done,
  notFound,
  refuse,
  type Written,
  writeDecisions
} from './decisions.ts'
import { takeId } from './free-id.ts'
import { type IdempotentRequest, keyReused, runOnce } from './idempotency.ts'
import { restoreRevisions } from './restore.ts'
import { type Author, lockTemplates, nobody, type PinnedTemplate } from './revisions.ts'

export interface WriteOptions {
  /** Nobody if omitted. */
  author?: Author
  /** Write only if this is the number of the current revision. */
  expectedRevision?: number | undefined
  /** By default the document must match the JSON Schema. */
  rules?: ValidationOptions
  /** Write, then roll back. The result is that of the write. */
  dryRun?: boolean | undefined
}

/** Creates a template, by default with the id after the highest that was ever used. */
export async function createTemplate(
  db: Db,
  { id: given, ...values }: TemplateValues & { id?: number | undefined },
  { author = nobody, rules = {}, once, dryRun }: WriteOptions & { once?: IdempotentRequest | undefined } = {}
): Promise<Written> {
  const { problems, warnings } = validateTemplate({ ...values, id: given }, rules)
  if (problems.length > 0) return refuse(...problems)
  await takeTurn()
  const create = async (transaction: Transaction) => {
    const id = given ?? (await takeId(transaction))
    if (id === undefined) return refuse(makeProblem('NO_FREE_ID', 'no id is free', 'id'))
    if (given !== undefined && (await lockTemplates(prepared(transaction), [id])).length > 0)
      return refuse(makeProblem('ID_TAKEN', 'a template has this id', 'id'))
    const time = timestamp()
    const insert = { id, ...values, timeCreated: time, timeModified: time }
    return writeDecision(transaction, decideCreation(insert, warnings), 'CREATE', author)
  }
  const job = (transaction: Transaction) =>
    runOnce(transaction, once, refuse(keyReused), () => create(transaction))
  return write(db, job, dryRun)
}

/** Changes fields of a template. If they stay the same, there is no new revision. */
export const updateTemplate = (
  db: Db,
  id: number,
  changes: Partial<TemplateValues>,
  { author = nobody, rules = {}, expectedRevision, dryRun }: WriteOptions = {}
): Promise<Written> =>
  writeExisting(db, { id, expectedRevision, author, dryRun }, async (transaction, current) => {
    const decision = decideChange(current, changes, rules)
    await takeTurn()
    return writeDecision(transaction, decision, 'UPDATE', author)
  })

/** Deletes a template. Its revisions stay. */
export const deleteTemplate = (
  db: Db,
  id: number,
  { author = nobody, expectedRevision, dryRun }: Omit<WriteOptions, 'rules'> = {}
): Promise<Written> =>
  writeExisting(db, { id, expectedRevision, author, dryRun }, async (transaction, current) => {
    await removeTemplates(transaction, [current], author)
    return { ...done(current), revision: current.revision + 1 }
  })

/** Gives a template, which may be deleted, the fields of one of its revisions, as a new revision. */
export const restoreTemplate = (
  db: Db,
  id: number,
  revision: number,
  { author = nobody, expectedRevision, dryRun }: Omit<WriteOptions, 'rules'> = {}
): Promise<Written> => {
  const job = async (transaction: Transaction) => {
    const locked = await lockTemplates(transaction, [id])
    const wanted = [{ id, revision, expectedRevision }]
    const [written] = await restoreRevisions(transaction, wanted, locked, author)
    return written as Written
  }
  return write(db, job, dryRun)
}

const writeDecision = async (
  transaction: Transaction,
  decision: Decision,
  action: RevisionAction,
  author: Author
) => (await writeDecisions(transaction, [decision], action, author))[0] as Written

/** Runs a job in a transaction. Each job first locks its template, so writers wait for each other instead of starting again. */
async function write(
  db: Db,
  job: (transaction: Transaction) => Promise<Written>,
  dryRun = false
): Promise<Written> {
  if (!dryRun) return transact(db, job, 'read committed')
  return { ...(await transactOrUndo(db, job, () => true)), isUndone: true }
}

/** Runs a job on an existing template, if its revision is the expected one. */
const writeExisting = (
  db: Db,
  { id, expectedRevision, author, dryRun }: WriteOptions & { id: number; author: Author },
  job: (transaction: Transaction, current: PinnedTemplate) => Promise<Written>
): Promise<Written> => {
  const find = async (transaction: Transaction) => {
    const [current] = await lockTemplates(prepared(transaction), [id])
    if (!current || !permits(author.rule, current)) return notFound()
    const { revision } = current
    if ((expectedRevision ?? revision) !== revision) return conflict(current)
    return job(transaction, current)
  }
  return write(db, find, dryRun)
}
