import { type Expression, expressionBuilder, type SqlBool, sql } from 'kysely'
import type { Db } from '../schema.ts'
import { fetchIds, scanIds, testIds } from './fetch-ids.ts'
import { type Field, fields } from './fields.ts'
import type { TemplateFilter } from './filter.ts'
import { complement, type IdSet, intersect, toIdSet, unite } from './id-set.ts'
import { lookUpCost, type Meter, maxCostInLoop, visitCost } from './meter.ts'
import type { Plan } from './plan.ts'

/** A part of a filter. `find` returns undefined if it finds `limit` templates or more. */
interface Part extends Omit<Plan, 'filter' | 'strategy' | 'templates' | 'matches' | 'findFew'> {
  indexed: boolean
  find(meter: Meter, limit?: number): Promise<IdSet | undefined>
  /** Like {@link Plan.findFew}, at this cost at most; absent if no index can show it. */
  findFew?(limit: number, meter: Meter, maxCost: number): Promise<IdSet | undefined>
}

/** If an index lists more ids for a condition, another condition is tried. */
const maxIdsToProbe = 20_000
/** Cost per id of a probe, if the index lists ids one by one. */
const costPerProbedId = 0.04
/** With this few ids, no other condition is tried for a shorter list. */
const fewIds = 500
/** Of more alternatives than this, it is not tried whether they match few templates. */
const maxAlternativesToProbe = 8

/** Plans a filter for about `templates` templates. Runs no query. */
export function planFilter(db: Db, filter: TemplateFilter, templates: number): Plan {
  const parts = partsOf(db, filter, templates)
  const { find, findFew, indexed, ...root } = planAll(db, parts, templates)
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
    },
    async findFew(limit, meter) {
      const few = found ? await found : await findFew?.(limit, meter, maxCostInLoop)
      if (!few || few.excluded || few.ids.length >= limit) return undefined
      found = Promise.resolve(few)
      return few
    }
  }
}

/** Converts a filter to parts that must all hold. */
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
    // `exists: false` is the complement of the templates that have the trait.
    const { exists } = part as { exists?: boolean }
    if (exists !== false) return planCondition(db, field, part, templates)
    return negate(planCondition(db, field, { ...(part as object), exists: true }, templates))
  })
}

function planCondition(db: Db, field: Field<unknown>, value: unknown, templates: number): Part {
  const testCost = field.testCost(value)
  const test = field.test(db, value)
  const query = field.find(db, value, test)
  const isNarrow = field.isNarrow(value)
  const scanned = { test, testCost, isNarrow, cost: templates * (visitCost + testCost) }
  if (!query) return { ...scanned, indexed: false, find: meter => scanIds(db, scanned, templates, meter) }
  const cost = templates * field.findCost(value)
  const probeShare = field.probeShare(value)
  const costOfProbe = (limit: number) =>
    probeShare === 0 ? Math.min(cost, limit * costPerProbedId) : cost * probeShare
  const fetch = (meter: Meter, limit?: number) =>
    fetchIds(db, query, { cost: limit === undefined ? cost : costOfProbe(limit), limit }, meter)
  return {
    ...scanned,
    indexed: true,
    cost,
    findFew: async (limit, meter, maxCost) =>
      costOfProbe(limit) <= maxCost ? fetch(meter, limit) : undefined,
    // Most values match few templates, so a probe is faster than a statement on a thread.
    find: async (meter, limit) =>
      limit === undefined && probeShare === 0 && cost > maxCostInLoop
        ? ((await fetch(meter, maxIdsToProbe)) ?? fetch(meter))
        : fetch(meter, limit)
  }
}

function negate({ findFew: _few, ...part }: Part): Part {
  return {
    ...part,
    isNarrow: false,
    // A condition that is NULL for a row counts as false, so its negation is true.
    test: sql`not coalesce(${part.test}, ${falsy})`,
    async find(meter) {
      return complement((await part.find(meter)) as IdSet)
    }
  }
}

const falsy = sql<SqlBool>`1 = 0`

/** Plans alternatives: finds the matches of each, unless testing every template is cheaper. */
function planAny(db: Db, parts: Part[], templates: number): Part {
  const scanned = together(parts, tests => expressionBuilder().or(tests))
  const scanCost = templates * (visitCost + scanned.testCost)
  const cost = sum(parts.map(part => part.cost))
  if (cost > scanCost)
    return {
      ...scanned,
      cost: scanCost,
      indexed: false,
      find: meter => scanIds(db, scanned, templates, meter)
    }
  return {
    ...scanned,
    cost,
    indexed: parts.every(({ indexed }) => indexed),
    async find(meter) {
      let found = toIdSet([])
      for (const part of parts) found = unite(found, (await part.find(meter)) as IdSet)
      return found
    },
    async findFew(limit, meter, maxCost) {
      if (parts.length > maxAlternativesToProbe) return undefined
      let found = toIdSet([])
      for (const part of parts) {
        const few = await part.findFew?.(limit, meter, maxCost)
        if (!few) return undefined
        found = unite(found, few)
      }
      return found
    }
  }
}

/** Plans a conjunction: lists the matches of the most selective part and tests the others on those rows. */
function planAll(db: Db, parts: Part[], templates: number): Part {
  if (parts.length === 1) return parts[0] as Part
  const joined = together(parts, tests => expressionBuilder().and(tests))
  const cheapestFirst = parts.toSorted((one, other) => one.cost - other.cost)
  const listed = cheapestFirst.filter(({ indexed }) => indexed)
  if (listed.length === 0) {
    const cost = templates * (visitCost + joined.testCost)
    return { ...joined, cost, indexed: false, find: meter => scanIds(db, joined, templates, meter) }
  }
  const most = Math.min(templates, maxIdsToProbe)
  return {
    ...joined,
    isNarrow: parts.some(({ isNarrow }) => isNarrow),
    cost: sum(listed.map(part => part.cost)) + most * (lookUpCost + joined.testCost),
    indexed: true,
    async find(meter) {
      const narrowest = await findNarrowest(listed, meter)
      return narrow(db, narrowest, cheapestFirst, templates, meter)
    },
    async findFew(limit, meter) {
      // Not by an index that merges lists: it may be another part that matches few templates.
      for (const part of listed) {
        const found = await part.findFew?.(Math.min(limit, fewIds), meter, fewIds * costPerProbedId)
        if (found) return narrow(db, { part, found }, cheapestFirst, templates, meter)
      }
      return undefined
    }
  }
}

interface Narrowest {
  part: Part
  found: IdSet
}

/** Finds a part that lists few templates, or at least not many; undefined if all parts list many. */
async function findNarrowest(parts: Part[], meter: Meter): Promise<Narrowest | undefined> {
  for (const part of parts) {
    const found = await part.find(meter, fewIds)
    if (found && !found.excluded) return { part, found }
  }
  for (const part of parts) {
    const found = await part.find(meter, maxIdsToProbe)
    if (found && !found.excluded) return { part, found }
  }
  return undefined
}

/** Applies the other parts: lists the matches of a part or tests the remaining templates, whichever is cheaper. */
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
  return left.excluded
    ? intersect(left, await scanIds(db, rest, templates, meter))
    : testIds(db, rest, left, meter)
}

function together(parts: Part[], join: (tests: Expression<SqlBool>[]) => Expression<SqlBool>) {
  return {
    test: join(parts.map(({ test }) => test)),
    testCost: sum(parts.map(({ testCost }) => testCost)),
    isNarrow: false
  }
}

const sum = (numbers: number[]): number => numbers.reduce((one, other) => one + other, 0)
