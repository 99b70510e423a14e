/** Changes, deletes and restores many templates, each in one transaction. */
import { type Expression, type SqlBool, sql } from 'kysely'
import { ArgumentError } from '../../../errors.ts'
import { engineOf } from '../../dialects/engine.ts'
import type { Db, Transaction } from '../../schema.ts'
import { type FilterInput, toFilter, whereNeedsIndex } from '../filter/input.ts'
import { planFilter, toTest } from '../filter/plan.ts'
import { type Meter, takeTurn } from '../meter.ts'
import { inTemplateSnapshot } from '../read/snapshot.ts'
import { permits, type TemplateRule } from '../rules/rule.ts'
import type { TemplateValues } from '../table/columns.ts'
import { editTraits, type TraitEdits } from '../table/edit-traits.ts'
import { makeProblem } from '../validation/problem.ts'
import type { ValidationOptions } from '../validation/validate.ts'
import { removeTemplates } from './apply.ts'
import { type Decision, decideChange, notFound, refuse, type Written, writeDecisions } from './decisions.ts'
import { type Restoration, restoreRevisions } from './restore.ts'
import { nobody, type PinnedTemplate } from './revisions.ts'
import { type ManyOptions, type Outcome, type WriteManyResult, writeAll } from './write-all.ts'

/** The templates to write. */
export interface Chosen {
  ids: number[]
  /** Leaves out templates that do not match any more when they are locked. */
  where?: FilterInput | null | undefined
}

/** Finds the ids of all templates that match `where`. Throws ArgumentError for a wrong filter or too many matches. */
export async function findMatches(
  db: Db,
  { where, rule }: { where: FilterInput; rule: TemplateRule | undefined },
  max: number,
  meter: Meter,
  signal: AbortSignal
): Promise<number[]> {
  const filter = toFilter(where, rule)
  const needsIndex = whereNeedsIndex(where) || rule?.needsIndex === true
  return inTemplateSnapshot(db, { needsIndex, isLong: true, signal }, async snapshot => {
    const ids = await (await planFilter(snapshot, filter, meter)).matches(meter)
    if (ids.length > max)
      throw new ArgumentError(`where matches ${ids.length} templates; the maximum is ${max}`)
    return [...ids]
  })
}

/** The change of each template. */
export interface ChangeOfMany {
  values: Partial<TemplateValues>
  traits: TraitEdits
}

/** Changes templates. A template that stays the same gets no revision. */
export function updateTemplates(
  db: Db,
  chosen: Chosen,
  { values, traits }: ChangeOfMany,
  { rules = {}, author = nobody, ...options }: ManyOptions & { rules?: ValidationOptions } = {}
): Promise<WriteManyResult> {
  const hasTraits = traits.set.length + traits.remove.length > 0
  const decide = (before: PinnedTemplate): Decision => {
    if (!hasTraits) return decideChange(before, values, rules)
    const data = editTraits(values.data ?? before.data, traits)
    // Unchanged data is not checked again.
    if (data === before.data) return decideChange(before, values, rules)
    if (data !== undefined) return decideChange(before, { ...values, data }, rules)
    return { result: refuse(makeProblem('WRONG_TYPE', 'the document has no list of traits', 'data')) }
  }
  return writeChosen(db, chosen, { author, ...options }, async (transaction, locked) => {
    const decisions: Decision[] = []
    for (const before of locked) {
      decisions.push(decide(before))
      await takeTurn()
    }
    return addIds(locked, await writeDecisions(transaction, decisions, 'UPDATE', author))
  })
}

/** Deletes templates. Their revisions stay. */
export const deleteTemplates = (
  db: Db,
  chosen: Chosen,
  { author = nobody, ...options }: ManyOptions = {}
): Promise<WriteManyResult> =>
  writeChosen(db, chosen, { author, ...options }, async (transaction, locked) => {
    await removeTemplates(transaction, locked, author)
    return locked.map(({ id, revision }) => ({ id, revision: revision + 1, problems: [], warnings: [] }))
  })

/** Gives different templates the fields of their revisions. With `expectedRevision`, this undoes an earlier write. */
export const restoreTemplates = (
  db: Db,
  wanted: Restoration[],
  { author = nobody, ...options }: ManyOptions = {}
): Promise<WriteManyResult> =>
  writeAll(db, wanted.toSorted(byId), options, async (transaction, batch, locked) =>
    addIds(batch, await restoreRevisions(transaction, batch, locked, author))
  )

/** Adds the ids of templates to the results of a write, which have the same order. */
const addIds = (templates: { id: number }[], results: Written[]): Outcome[] =>
  results.map((result, index) => ({ ...result, id: templates[index]?.id as number }))

/** Writes those of the chosen templates that the author may see and that match. */
function writeChosen(
  db: Db,
  { ids, where }: Chosen,
  { author = nobody, ...options }: ManyOptions,
  apply: (transaction: Transaction, locked: PinnedTemplate[]) => Promise<Outcome[]>
): Promise<WriteManyResult> {
  const test = where ? toTest(db, toFilter(where)) : undefined
  const all = Array.from(new Set(ids), id => ({ id })).sort(byId)
  return writeAll(db, all, options, async (transaction, batch, locked) => {
    const wanted = batch.map(({ id }) => id)
    const seen: PinnedTemplate[] = []
    for (const template of locked) {
      if (permits(author.rule, template)) seen.push(template)
      if (author.rule) await takeTurn()
    }
    if (!test) {
      const found = new Set(seen.map(({ id }) => id))
      const missing = wanted.filter(id => !found.has(id)).map(id => ({ id, ...notFound() }))
      return missing.length > 0 ? missing : apply(transaction, seen)
    }
    // After the lock, because somebody may have changed the templates since they were found.
    const matching = await selectMatching(transaction, wanted, test)
    return apply(
      transaction,
      seen.filter(({ id }) => matching.has(id))
    )
  })
}

const byId = (one: { id: number }, other: { id: number }): number => one.id - other.id

async function selectMatching(
  transaction: Transaction,
  ids: number[],
  test: Expression<SqlBool>
): Promise<Set<number>> {
  const isOne = engineOf(transaction).syntax.isOneOf(sql.ref('product_template.id'), ids)
  const { rows } = await sql<{
    id: number
  }>`select id from product_template where ${isOne} and ${test}`.execute(transaction)
  return new Set(rows.map(({ id }) => id))
}
