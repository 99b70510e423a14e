/** Finds the stored templates that an import concerns, and decides what becomes of them. */
import { type Expression, type SqlBool, sql } from 'kysely'
import { fieldNames, type ProductTemplate } from '../../../domain/columns.ts'
import { timestamp } from '../../../domain/timestamp.ts'
import { makeProblem } from '../../../domain/validation/problem.ts'
import { engineOf } from '../../dialects/engine.ts'
import type { Db } from '../../schema.ts'
import { isTransaction } from '../../transaction.ts'
import { hasName } from '../filter/operands/name.ts'
import { findByProductId } from '../filter/operands/search.ts'
import { namedColumns, type PinnedTemplate, selectTemplates, wholeTemplate } from '../product-templates.ts'
import { conflict, type Decision, decideReplacement } from '../writing/decisions.ts'
import { findTemplatesForAuthor, type TemplatesForAuthor } from '../writing/rights.ts'
import type { Incoming } from './batches.ts'
import type { ImportOptions, ImportReport, NewTemplate } from './report.ts'

/** Decides to create, replace or refuse each template of a batch, and counts it in the report. */
export async function decideBatch<Place>(
  db: Db,
  batch: Incoming<Place>[],
  report: ImportReport<Place>
): Promise<Decision[]> {
  if (batch.length === 0) return []
  const { existing } = report.options
  const { templates, hidden } = await findStored(db, batch, report.options)
  const created: Decision[] = []
  const changed: Decision[] = []
  for (const incoming of batch) {
    if (report.stopped) return []
    const { id } = incoming.template
    const decision = hidden.has(id) ? refuseTaken(id) : decide(incoming, templates.get(id), report.options)
    const { before, after, problems } = decision
    if (problems) report.refuse(problems, incoming)
    else if (before === after) report.result[existing === 'keep' ? 'kept' : 'unchanged']++
    else (before ? changed : created).push(decision)
  }
  report.result.inserted += created.length
  report.result.replaced += changed.length
  return [...created, ...changed]
}

/** Decides what becomes of a record. */
function decide(
  { template, expectedRevision }: Incoming<unknown>,
  before: PinnedTemplate | undefined,
  { existing }: ImportOptions<never>
): Decision {
  const revision = before?.revision
  if (existing === 'replace' && (expectedRevision ?? revision) !== revision) return conflict(before)
  if (!before) return { after: addTimes(template) }
  if (existing !== 'keep' && existing !== 'replace') return refuseTaken(before.id)
  return decideReplacement(before, existing === 'keep' ? before : replace(before, template))
}

const refuseTaken = (id: number): Decision => ({
  problems: [makeProblem('ID_TAKEN', `a template with id ${id} exists`, 'id')]
})

/**
 * Finds the stored templates with the ids of a batch. They are complete if they may be replaced or the author has a rule;
 * otherwise they have only their ids, because documents may be long. Locks them, in the order of their ids, if they may be
 * replaced, or if their ids are returned, so that no other writer deletes them meanwhile.
 */
function findStored(
  db: Db,
  batch: Incoming<unknown>[],
  { existing, dryRun = false, withIds = false, author }: ImportOptions<never>
): Promise<TemplatesForAuthor> {
  const replaces = existing === 'replace'
  const isCompared = replaces || author.rule !== undefined
  const ids = batch.map(({ template }) => template.id)
  return findTemplatesForAuthor(db, ids, author, {
    columns: isCompared ? wholeTemplate : sql`id`,
    locks: !dryRun && (replaces || withIds)
  })
}

function addTimes(template: Incoming<unknown>['template']): ProductTemplate {
  const time = template.timeModified ?? template.timeCreated ?? timestamp()
  return { timeCreated: time, timeModified: time, ...template }
}

/** Returns the template that replaces a stored one. Its time of modification does not go back. */
function replace(before: PinnedTemplate, given: NewTemplate): PinnedTemplate {
  const after = { ...before, ...given }
  if (after.timeModified < before.timeModified) after.timeModified = before.timeModified
  return after
}

type Key = 'id' | 'productId' | 'name'

/**
 * Makes the function that finds the templates which the rows of a table change. If they are replaced, they stay locked until
 * the transaction ends. Imports by product id or name wait for each other, so that none misses a template that another one
 * creates.
 */
export function makeFinder(db: Db, { existing, dryRun = false }: ImportOptions<never>) {
  const lock = existing === 'replace' && !dryRun
  let turn: Promise<void> | undefined
  return async (key: Key, values: string[]): Promise<ProductTemplate[]> => {
    if (key !== 'id' && !dryRun && isTransaction(db)) {
      turn ??= engineOf(db).lock(db, 'imports')
      await turn
    }
    return selectTemplates(
      db,
      namedColumns(fieldNames),
      matchesKey(db, key, values),
      lock ? engineOf(db).syntax.lockRows : sql``
    )
  }
}

/** Tests whether a template has one of at most 500 ids, product ids or names. The index must be complete. */
function matchesKey(db: Db, key: Key, values: string[]): Expression<SqlBool> {
  if (key === 'id') return sql`id in (${sql.join(values.map(Number))})`
  if (key === 'name') return hasName(values)
  return sql`id in (${findByProductId(db, values)})`
}

/** Lists the names of traits that templates have or had. */
export async function listTraitTypes(db: Db): Promise<string[]> {
  const { rows } = await sql<{ type: string }>`select type from product_trait_type order by type`.execute(db)
  return rows.map(({ type }) => type)
}
