/**
 * How a filter becomes a page: `toFilter()` (filter.ts) converts `where` to a filter. `planFilter()` converts the
 * filter to conditions with their SQL (operands/). `findPage()` (read/page.ts) then reads by the plan, in a snapshot
 * (../snapshot.ts). `matchesFilter()` is the same meaning in memory.
 */
import { expressionBuilder, type RawBuilder, sql } from 'kysely'
import type { ProductTemplate } from '../../../domain/columns.ts'
import { engineOf } from '../../dialects/engine.ts'
import type { IndexEntry } from '../../dialects/template-index.ts'
import type { Db } from '../../schema.ts'
import { toIndexEntry } from '../template-index/entries.ts'
import { operandOf, type TemplateFilter } from './filter.ts'
import { type Condition, type Contents, combine, negate } from './operands/operand.ts'

/** Up to this number, templates are tested or looked up one by one. More are found by an index. */
export const maxTemplatesOneByOne = 2000

/**
 * How to find the templates that match a filter. A plan is made for one operation and used for its pages,
 * `hasNextPage`, the count and facets.
 */
export interface Plan extends Pick<Condition, 'test' | 'lookUpsPerRow'> {
  /** `all`: every template matches; `scan`: no index helps, so each row is tested; `seek`: indexes list the matches. */
  strategy: 'all' | 'scan' | 'seek'
  /**
   * Selects the ids of all matches, possibly with duplicates. Reading only some of the ids saves time. undefined if the
   * ids of several conditions must be intersected first, because a limit then saves no time.
   */
  ids: RawBuilder<number> | undefined
  /** Resolves with the ids of all matches; finds them on the first call. */
  findIds(db: Db): Promise<Int32Array>
}

/** Plans a filter. Reads nothing. */
export function planFilter(db: Db, filter: TemplateFilter): Plan {
  const conditions = toConditions(db, filter)
  const { test, lookUpsPerRow, ids: indexed } = combine('and', conditions)
  const ids = indexed ?? sql`select id from product_template where ${test}`
  let matchingIds: Promise<Int32Array> | undefined
  const find = async (db: Db) => (await findFew(db, conditions)) ?? listIds(db, ids)
  return {
    strategy: conditions.length === 0 ? 'all' : indexed ? 'seek' : 'scan',
    test,
    lookUpsPerRow,
    ids: indexed && conditions.length > 1 ? undefined : ids,
    findIds(db) {
      matchingIds ??= find(db)
      return matchingIds
    }
  }
}

const eb = expressionBuilder()

/** Conditions whose indexes are candidates for a short list. Only generated filters have more. */
const maxCandidates = 20

/**
 * Finds the matches of all conditions if an index lists few for one of them; otherwise resolves with undefined. Without
 * this, a rare condition beside a common one takes 18 ms instead of 3 on SQLite, and 234 instead of 8 on PostgreSQL
 * (bench:reading, 100,000 templates, a slow machine, 2026-11-25).
 */
async function findFew(db: Db, conditions: Condition[]): Promise<Int32Array | undefined> {
  const candidates = conditions.filter(({ canStopEarly }) => canStopEarly).slice(0, maxCandidates)
  if (candidates.length === 0) return undefined
  const { collectIds, isOneOf } = engineOf(db).syntax
  const columns = candidates.map(
    ({ ids }, index) =>
      sql`(${collectIds(ids as RawBuilder<number>, maxTemplatesOneByOne + 1)}) as ${sql.ref(`c${index}`)}`
  )
  const [row = {}] = (await sql<Record<string, string>>`select ${sql.join(columns)}`.execute(db)).rows
  const lists = candidates.map((_, index) => parseIds(row[`c${index}`]))
  const [fewest] = lists.toSorted((one, other) => one.length - other.length) as [number[]]
  if (fewest.length > maxTemplatesOneByOne) return undefined
  const others = conditions.filter(condition => condition !== candidates[lists.indexOf(fewest)])
  if (fewest.length === 0 || others.length === 0) return withoutRepeated(fewest)
  const test = eb.and(others.map(({ test }) => test))
  const isAmongFewest = isOneOf(sql.ref('product_template.id'), fewest)
  return listIds(db, sql`select id from product_template where ${isAmongFewest} and ${test}`)
}

/** Lists all ids that a query selects. */
async function listIds(db: Db, query: RawBuilder<number>): Promise<Int32Array> {
  const { rows } = await engineOf(db).syntax.collectIds(query).execute(db)
  return withoutRepeated(parseIds(rows[0]?.ids))
}

const parseIds = (json = '[]'): number[] => JSON.parse(json)

/** An index may list an id several times. */
const withoutRepeated = (ids: number[]): Int32Array => Int32Array.from(new Set(ids))

/** Converts a filter to conditions that must all hold. */
function toConditions(db: Db, filter: TemplateFilter): Condition[] {
  const { and = [], or, not, ...byField } = filter
  const inner = (filter: TemplateFilter) => combine('and', toConditions(db, filter))
  return [
    ...Object.entries(byField).flatMap(([name, value]) => operandOf(name).plan(db, value)),
    ...and.flatMap(each => toConditions(db, each)),
    ...(or ? [combine('or', or.map(inner))] : []),
    ...(not ? [negate(inner(not))] : [])
  ]
}

/**
 * Whether contents in memory, such as a past revision, which no index has, match a filter exactly as a search would
 * find them.
 */
export function matchesFilter(filter: TemplateFilter, template: ProductTemplate): boolean {
  let entry: IndexEntry | undefined
  const contents = {
    template,
    get entry() {
      entry ??= toIndexEntry(template)
      return entry
    }
  }
  return matches(contents, filter)
}

const matches = (contents: Contents, { and = [], or, not, ...byField }: TemplateFilter): boolean =>
  Object.entries(byField).every(([name, value]) => operandOf(name).matches(contents, value)) &&
  and.every(each => matches(contents, each)) &&
  (or === undefined || or.some(each => matches(contents, each))) &&
  (not === undefined || !matches(contents, not))
