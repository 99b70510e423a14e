/**
 * A filtered page on its way: `toFilter()` converts `where` to a filter, `planFilter()` converts that to a tree of
 * conditions with their SQL (filter/fields.ts) and runs nothing. `findPage()` (read/page.ts) chooses a strategy by that
 * plan. If it is to find the matches by indexes, `findMatches()` (find-matches.ts) does so. `readConsistently()`
 * (read/consistent.ts) repeats all that if a template was written meanwhile.
 */
import type { RawBuilder } from 'kysely'
import type { Db } from '../../schema.ts'
import type { TemplateFilter } from '../filter/fields.ts'
import type { Meter } from '../meter.ts'
import { type Condition, combine, toConditions } from './conditions.ts'
import { findMatches } from './find-matches.ts'
import type { IdSet } from './id-set.ts'

/**
 * How to find the templates that match a filter. A plan is made once and used for pages, `hasNextPage`, the count and
 * facets. Costs are estimates, in the unit of {@link Meter}.
 */
export interface Plan extends Pick<Condition, 'test' | 'testCost' | 'cost'> {
  filter: TemplateFilter
  /** `all`: every template matches; `walk`: no index helps, each row is tested; `find`: indexes list matches. */
  strategy: 'all' | 'walk' | 'find'
  /** Approximate number of templates in the database. */
  templates: number
  /** Selects the ids of all matches, possibly with duplicates, if one index has them. */
  ids: RawBuilder<number> | undefined
  /** Returns all matches; finds them on the first call. */
  matches(meter: Meter): Promise<IdSet>
}

/** Plans a filter for about `templates` templates. Runs no query. */
export function planFilter(db: Db, filter: TemplateFilter, templates: number): Plan {
  const conditions = toConditions(db, filter, templates)
  const root = combine('and', conditions, templates)
  const { test, testCost, cost, kind } = root
  const strategy = conditions.length === 0 ? 'all' : kind === 'scan' ? 'walk' : 'find'
  let found: Promise<IdSet> | undefined
  const matches = (meter: Meter) => {
    found ??= findMatches(db, root, meter)
    return found
  }
  const ids = root.kind === 'index' ? root.ids : undefined
  return { filter, strategy, templates, test, testCost, cost, ids, matches }
}
