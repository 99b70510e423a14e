/** Finds the stored templates that the rows of a table change. */
import { type Expression, type SqlBool, sql } from 'kysely'
import { engineOf } from '../../db/dialects/engine.ts'
import { NotReady } from '../../db/dialects/faults.ts'
import type { Db } from '../../db/schema.ts'
import { hasName } from '../../db/templates/filter/operands/name.ts'
import { findByProductId } from '../../db/templates/filter/operands/search.ts'
import { trait } from '../../db/templates/filter/operands/trait.ts'
import type { ImportOptions } from '../../db/templates/import/report.ts'
import { namedColumns, selectTemplates } from '../../db/templates/product-templates.ts'
import { isTransaction } from '../../db/transaction.ts'
import { fieldNames } from '../../domain/columns.ts'
import { type Key, traitOfKey } from './tables/mapping.ts'
import { type FindTemplates, maxFound, readTemplateKeys, toKeyValues } from './tables/read-table.ts'

/**
 * Makes the function that finds the templates which the rows of a table change. If they are replaced, they stay locked
 * until the transaction ends. Imports by another key than the id wait for each other, so that none misses a template
 * that another one creates.
 */
export function makeFinder(db: Db, { existing, dryRun = false }: ImportOptions<never>): FindTemplates {
  const lock = existing === 'replace' && !dryRun
  let turn: Promise<void> | undefined
  return async (key, values) => {
    if (key !== 'id' && !dryRun && isTransaction(db)) {
      turn ??= engineOf(db).lock(db, 'imports')
      await turn
    }
    const pending = await findPending(db, key, values)
    const indexed = matchesKey(db, key, values)
    return selectTemplates(
      db,
      namedColumns(fieldNames),
      pending.length === 0 ? indexed : sql`(${indexed} or id in (${sql.join(pending)}))`,
      sql`limit ${maxFound + 1} ${lock ? engineOf(db).syntax.lockRows : sql``}`
    )
  }
}

/** Finds the templates with one of the keys that plain SQL has written, and the index does not have yet. */
async function findPending(db: Db, key: Key, values: string[]): Promise<number[]> {
  if (key === 'id' || key === 'name') return []
  const isPending = sql<SqlBool>`id in (select template_id from product_template_pending)`
  const found = await selectTemplates(db, namedColumns(fieldNames), isPending, sql`limit ${maxFound + 1}`)
  if (found.length > maxFound) throw new NotReady('many templates were written and are being indexed')
  const wanted = new Set(values)
  return found
    .filter(template => readTemplateKeys(template, key).some(value => wanted.has(value)))
    .map(({ id }) => id)
}

/**
 * Tests whether a template has one of at most 500 ids, product ids, names or values of a trait. The index must be
 * complete.
 */
function matchesKey(db: Db, key: Key, values: string[]): Expression<SqlBool> {
  if (key === 'id') return sql`id in (${sql.join(values.map(Number))})`
  if (key === 'name') return hasName(values)
  const type = traitOfKey(key)
  if (type === undefined) return sql`id in (${findByProductId(db, values)})`
  const [condition] = trait.plan(db, trait.read({ type, in: toKeyValues(values) }))
  return sql`id in (${condition?.ids})`
}

/** Lists the names of traits that templates have or had. */
export async function listTraitTypes(db: Db): Promise<string[]> {
  const { rows } = await sql<{ type: string }>`select type from product_trait_type order by type`.execute(db)
  return rows.map(({ type }) => type)
}
