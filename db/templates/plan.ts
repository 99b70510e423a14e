import { type Expression, expressionBuilder, type SqlBool, sql } from 'kysely'
import type { Db, ProductTemplateTable } from '../schema.ts'
import { fetchIds, scanIds, testIds } from './fetch-ids.ts'
import { type Field, fields } from './fields.ts'
import type { TemplateFilter } from './filter.ts'
import { complement, type IdSet, intersect, toIdSet, unite } from './id-set.ts'
import { lookUpCost, type Meter, visitCost } from './meter.ts'

/**
 * How the templates of a filter are found: made once, used for its pages, their neighbours, its count and its
 * facets. Costs are estimates, in the unit of {@link Meter}.
 */
export interface Plan {
  filter: TemplateFilter
  /** `all` templates; `perRow`: each is looked at; `idList`: an index lists those of one condition or of several. */
  strategy: 'all' | 'perRow' | 'idList'
  /** About how many templates the store has. */
  templates: number
  /** Whether a row of `product_template` matches, for a few rows at a time. */
  test: Expression<SqlBool>
  /** For one row. */
  testCost: number
  /** The columns that `test` reads. */
  columns: (keyof ProductTemplateTable)[]
  /** To find every match. */
  cost: number
  /** Every match, found at the first call. */
  matches(meter: Meter): Promise<IdSet>
}

/** A part of a filter. `find` gives up, with undefined, at `limit` templates. */
interface Part extends Omit<Plan, 'filter' | 'strategy' | 'templates' | 'matches'> {
  indexed: boolean
  find(meter: Meter, limit?: number): Promise<IdSet | undefined>
}

/** Templates that an index may list before another condition is asked instead. */
const maxIdsToProbe = 20_000
/** So few that no other condition needs to be asked for a shorter list. */
const fewIds = 500

/** Plans a filter for a store of about so many templates. Nothing is asked of the database. */
export function planFilter(db: Db, filter: TemplateFilter, templates: number): Plan {
  const parts = partsOf(db, filter, templates)
  const { find, indexed, ...root } = planAll(db, parts, templates)
  const strategy = parts.length === 0 ? 'all' : indexed ? 'idList' : 'perRow'
  let found: Promise<IdSet> | undefined
  return {
    ...root,
    filter,
    strategy,
    templates,
    matches: meter => {
      found ??= find(meter) as Promise<IdSet>
      return found
    }
  }
}

/** The conditions that must all hold. */
function partsOf(db: Db, { and = [], or, not, ...conditions }: TemplateFilter, templates: number): Part[] {
  const inner = (filter: TemplateFilter) => planAll(db, partsOf(db, filter, templates), templates)
  return [
    ...Object.entries(conditions).flatMap(([name, value]) => planField(db, name, value, templates)),
    ...and.flatMap(each => partsOf(db, each, templates)),
    ...(or ? [planAny(db, or.map(inner), templates)] : []),
    ...(not ? [negate(inner(not))] : [])
  ]
}

function planField(db: Db, name: string, value: unknown, templates: number): Part[] {
  if (!Object.hasOwn(fields, name)) throw new TypeError(`no field ${name} in the table of filterable fields`)
  const field = fields[name as keyof typeof fields] as Field<unknown>
  return field.split(value).map(part => {
    // An entry that is missing is found by the templates that have it.
    const { exists } = part as { exists?: boolean }
    if (exists !== false) return planCondition(db, field, part, templates)
    return negate(planCondition(db, field, { ...(part as object), exists: true }, templates))
  })
}

function planCondition(db: Db, field: Field<unknown>, value: unknown, templates: number): Part {
  const { columns, testCost } = field
  const test = field.test(db, value)
  const query = field.find(db, value)
  const scanned = { test, testCost, columns, cost: templates * (visitCost + testCost) }
  if (!query) return { ...scanned, indexed: false, find: meter => scanIds(db, scanned, meter) }
  return {
    ...scanned,
    indexed: true,
    cost: templates * field.findCost,
    find: (meter, limit) => fetchIds(db, query, { cost: templates * field.findCost, limit }, meter)
  }
}

function negate(part: Part): Part {
  return {
    ...part,
    // What is unknown of a row does not hold, and so its opposite does.
    test: sql`not coalesce(${part.test}, ${falsy})`,
    async find(meter) {
      return complement((await part.find(meter)) as IdSet)
    }
  }
}

const falsy = sql<SqlBool>`1 = 0`

/** One of several must hold: found one by one, unless it is cheaper to look at every template. */
function planAny(db: Db, parts: Part[], templates: number): Part {
  const scanned = together(parts, tests => expressionBuilder().or(tests))
  const scanCost = templates * (visitCost + scanned.testCost)
  const cost = sum(parts.map(part => part.cost))
  if (cost > scanCost)
    return { ...scanned, cost: scanCost, indexed: false, find: meter => scanIds(db, scanned, meter) }
  return {
    ...scanned,
    cost,
    indexed: parts.every(({ indexed }) => indexed),
    async find(meter) {
      let found = toIdSet([])
      for (const part of parts) found = unite(found, (await part.find(meter)) as IdSet)
      return found
    }
  }
}

/** All must hold: the one that lists fewest templates is found first, and the others are asked of those. */
function planAll(db: Db, parts: Part[], templates: number): Part {
  if (parts.length === 1) return parts[0] as Part
  const joined = together(parts, tests => expressionBuilder().and(tests))
  const cheapestFirst = parts.toSorted((one, other) => one.cost - other.cost)
  const listed = cheapestFirst.filter(({ indexed }) => indexed)
  if (listed.length === 0) {
    const cost = templates * (visitCost + joined.testCost)
    return { ...joined, cost, indexed: false, find: meter => scanIds(db, joined, meter) }
  }
  const most = Math.min(templates, maxIdsToProbe)
  return {
    ...joined,
    cost: sum(listed.map(part => part.cost)) + most * (lookUpCost + joined.testCost),
    indexed: true,
    async find(meter) {
      const narrowest = await findNarrowest(listed, meter)
      return narrow(db, narrowest, cheapestFirst, templates, meter)
    }
  }
}

interface Narrowest {
  part: Part
  found: IdSet
}

/** The part that lists fewest templates; undefined where all of them list many. */
async function findNarrowest(parts: Part[], meter: Meter): Promise<Narrowest | undefined> {
  let narrowest: Narrowest | undefined
  for (const part of parts) {
    const limit = narrowest?.found.ids.length ?? maxIdsToProbe
    if (limit <= fewIds) break
    const found = await part.find(meter, limit)
    if (found && !found.excluded && found.ids.length < limit) narrowest = { part, found }
  }
  return narrowest
}

/** What is left after all parts: each is found as a list, or asked of the templates that are left, as it is cheaper. */
async function narrow(
  db: Db,
  narrowest: Narrowest | undefined,
  parts: Part[],
  templates: number,
  meter: Meter
): Promise<IdSet> {
  let left: IdSet = narrowest?.found ?? complement(toIdSet([]))
  const asked: Part[] = []
  for (const part of parts) {
    if (part === narrowest?.part) continue
    const count = left.excluded ? templates : left.ids.length
    if (part.cost < count * (lookUpCost + part.testCost))
      left = intersect(left, (await part.find(meter)) as IdSet)
    else asked.push(part)
  }
  if (asked.length === 0) return left
  const rest = together(asked, tests => expressionBuilder().and(tests))
  return left.excluded ? intersect(left, await scanIds(db, rest, meter)) : testIds(db, rest, left, meter)
}

function together(parts: Part[], join: (tests: Expression<SqlBool>[]) => Expression<SqlBool>) {
  return {
    test: join(parts.map(({ test }) => test)),
    testCost: sum(parts.map(({ testCost }) => testCost)),
    columns: [...new Set(parts.flatMap(({ columns }) => columns))]
  }
}

const sum = (numbers: number[]): number => numbers.reduce((one, other) => one + other, 0)
