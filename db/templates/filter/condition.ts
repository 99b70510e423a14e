/** Conditions in SQL, with their costs: what an operand of a filter becomes, and how conditions become one. */
import { type Expression, expressionBuilder, type RawBuilder, type SqlBool, sql } from 'kysely'
import { listCost, visitCost } from '../costs.ts'

/** A condition on templates. */
export interface Condition {
  /** The condition on a row of `product_template`. */
  test: Expression<SqlBool>
  /** Per row. */
  testCost: number
  /** Selects the ids of all matches from indexes, possibly with duplicates; undefined if no index has them. */
  ids?: RawBuilder<number>
  /** Whether the indexes list ids one by one, so that finding a few takes little time. */
  listsOneByOne: boolean
  /** Cost of finding all matches, per template in the database, at most. */
  findCost: number
}

/** Makes a condition that no index has. */
export const scan = (test: Expression<SqlBool>, testCost: number): Condition => ({
  test,
  testCost,
  listsOneByOne: false,
  findCost: Math.max(visitCost, testCost)
})

/** Makes a condition on a column that has an index, which lists the matches. */
export const seek = (test: Expression<SqlBool>): Condition => ({
  test,
  testCost: visitCost,
  ids: sql`select id from product_template where ${test}`,
  listsOneByOne: true,
  findCost: listCost
})

/** Conditions that are combined at once: SQLite allows 500 queries in one. A filter and a rule may have more. */
const maxCombined = 400

/** Combines conditions. Those without an index become one condition, so that the templates are read only once. */
export function combine(kind: 'and' | 'or', conditions: Condition[]): Condition {
  if (conditions.length === 1) return conditions[0] as Condition
  if (conditions.length > maxCombined) {
    const [some, others] = [conditions.slice(0, maxCombined), conditions.slice(maxCombined)]
    return combine(kind, [combine(kind, some), combine(kind, others)])
  }
  const test = expressionBuilder()[kind](conditions.map(({ test }) => test))
  const testCost = sum(conditions.map(({ testCost }) => testCost))
  const scanned = conditions.filter(({ ids }) => !ids)
  if (scanned.length === conditions.length) return scan(test, testCost)
  const indexed = conditions.filter(({ ids }) => ids)
  const parts = scanned.length === 0 ? indexed : [...indexed, combine(kind, scanned)]
  return {
    test,
    testCost,
    ids: sql.join(parts.map(selectIds), kind === 'and' ? sql` intersect ` : sql` union all `),
    listsOneByOne: kind === 'or' && parts.every(({ listsOneByOne }) => listsOneByOne),
    findCost: sum(parts.map(({ findCost }) => findCost))
  }
}

export function negate(part: Condition): Condition {
  // A condition that is NULL for a row counts as false, so its negation is true.
  const test = sql<SqlBool>`not coalesce(${part.test}, ${sql`1 = 0`})`
  if (!part.ids) return { ...part, test }
  const ids = sql<number>`select id from product_template except ${selectIds(part)}`
  return { ...part, test, ids, listsOneByOne: false, findCost: part.findCost + listCost }
}

/** Selects the ids of all matches, as an operand of `union all`, `intersect` or `except`. */
const selectIds = ({ ids, test }: Condition): RawBuilder<number> =>
  ids ? sql`select * from (${ids}) as part` : sql`select id from product_template where ${test}`

const sum = (numbers: number[]): number => numbers.reduce((one, other) => one + other, 0)
