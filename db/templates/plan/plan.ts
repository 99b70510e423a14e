import type { Expression, RawBuilder, SqlBool } from 'kysely'
import type { TemplateFilter } from '../filter/filter.ts'
import type { Meter } from '../meter.ts'
import type { IdSet } from './id-set.ts'

/**
 * How to find the templates that match a filter. A plan is made once and used for pages, `hasNextPage`, the count and
 * facets. Costs are estimates, in the unit of {@link Meter}.
 */
export interface Plan {
  filter: TemplateFilter
  /** `all`: every template matches; `perRow`: each row is tested; `idList`: indexes list matches of some conditions. */
  strategy: 'all' | 'perRow' | 'idList'
  /** Whether an index lists so few matches that testing the rows of an order is not worthwhile. */
  isNarrow: boolean
  /** Approximate number of templates in the database. */
  templates: number
  /** Condition on a row of `product_template`. */
  test: Expression<SqlBool>
  /** Per row. */
  testCost: number
  /** Cost of finding all matches. */
  cost: number
  /** All matches are among them. */
  candidates?: Candidates | undefined
  /** Returns all matches; finds them on the first call. */
  matches(meter: Meter): Promise<IdSet>
  /** Counts all matches without listing them; absent if counting needs their ids. */
  count?: ((meter: Meter) => Promise<number>) | undefined
  /** Returns all matches if an index shows at little cost that they are fewer than `limit`. */
  findFew(limit: number, meter: Meter): Promise<IdSet | undefined>
}

/** Templates that an index lists one by one. */
export interface Candidates {
  /** Selects their ids, possibly with duplicates. */
  ids: RawBuilder<number>
  /** If an index of `product_template` lists them: its first column and the condition on a row. */
  listed?: { column: string; test: Expression<SqlBool> } | undefined
  /** The condition that remains to be tested on each. */
  test?: Expression<SqlBool>
  testCost: number
  /** If there are more, testing the rows of an order comes first. */
  most: number
}
