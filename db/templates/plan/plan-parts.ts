import { type Expression, expressionBuilder, type SqlBool } from 'kysely'
import type { Db } from '../../schema.ts'
import { lookUpCost, type Meter, stepCost, visitCost } from '../meter.ts'
import { scanIds, testIds } from './fetch-ids.ts'
import { complement, type IdSet, intersect, toIdSet, unite } from './id-set.ts'
import type { Candidates } from './plan.ts'
import { costPerProbedId, maxIdsToProbe, type Part } from './plan-condition.ts'

/** With this few ids, no other condition is tried for a shorter list. */
const fewIds = 500
/** With fewer candidates, PostgreSQL takes longer to plan the conditions on them than these candidates save. */
const minCandidates = 50
/** Of more alternatives than this, it is not tried whether they match few templates. */
const maxAlternativesToProbe = 8

/** Plans alternatives: finds the matches of each, unless testing every template is cheaper. */
export function planAny(db: Db, parts: Part[], templates: number): Part {
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
export function planAll(db: Db, parts: Part[], templates: number): Part {
  if (parts.length === 1) return parts[0] as Part
  const joined = together(parts, tests => expressionBuilder().and(tests))
  const cheapestFirst = parts.toSorted((one, other) => one.cost - other.cost)
  const listed = cheapestFirst.filter(({ indexed }) => indexed)
  if (listed.length === 0) {
    const cost = templates * (visitCost + joined.testCost)
    return { ...joined, cost, indexed: false, find: meter => scanIds(db, joined, templates, meter) }
  }
  const most = Math.min(templates, maxIdsToProbe)
  const lister = listed.find(({ candidates }) => candidates)
  const candidates = limitCandidates(lister?.candidates, joined)
  return {
    ...joined,
    candidates,
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
        if (part === lister && candidates && candidates.most >= fewIds) continue
        const found = await part.findFew?.(Math.min(limit, fewIds), meter, fewIds * costPerProbedId)
        if (found) return narrow(db, { part, found }, cheapestFirst, templates, meter)
      }
      return undefined
    }
  }
}

/** Limits candidates, so that one step can test all conditions on them; undefined if that leaves too few. */
function limitCandidates(
  candidates: Candidates | undefined,
  joined: Pick<Part, 'test' | 'testCost'>
): Candidates | undefined {
  const most = Math.floor(stepCost / (lookUpCost + joined.testCost))
  if (!candidates || most < minCandidates) return undefined
  const { test, testCost } = joined
  return { ...candidates, test, testCost, most: Math.min(candidates.most, most) }
}

interface Narrowest {
  part: Part
  found: IdSet
}

/** Finds a part that lists few templates, or at least not many; undefined if all parts list many. */
async function findNarrowest(parts: Part[], meter: Meter): Promise<Narrowest | undefined> {
  for (const limit of [fewIds, maxIdsToProbe]) {
    for (const part of parts) {
      const found = await part.find(meter, limit)
      if (found && !found.excluded) return { part, found }
    }
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
