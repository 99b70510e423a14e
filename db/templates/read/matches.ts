import { ArgumentError } from '../../../errors.ts'
import type { Db } from '../../schema.ts'
import { type FilterInput, toFilter, whereNeedsIndex } from '../filter/input.ts'
import type { Meter } from '../meter.ts'
import { planFilter } from '../plan/plan.ts'
import type { TemplateRule } from '../rules/rule.ts'
import { inTemplateSnapshot } from './snapshot.ts'

/** Finds the ids of all templates that match `where`. Throws ArgumentError for a wrong filter or too many matches. */
export async function findMatches(
  db: Db,
  { where, rule }: { where: FilterInput; rule: TemplateRule | undefined },
  max: number,
  meter: Meter,
  signal: AbortSignal
): Promise<number[]> {
  const filter = toFilter(where, rule)
  const options = {
    needsIndex: whereNeedsIndex(where) || rule?.needsIndex === true,
    isLong: true,
    signal
  }
  return inTemplateSnapshot(db, options, async snapshot => {
    const ids = await (await planFilter(snapshot, filter, meter)).matches(meter)
    if (ids.length > max)
      throw new ArgumentError(`where matches ${ids.length} templates; the maximum is ${max}`)
    return [...ids]
  })
}
