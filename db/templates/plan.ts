import { type Expression, expressionBuilder, type SqlBool, sql } from 'kysely'
import type { Db } from '../schema.ts'
import { asksElsewhere, candidates, matching, type TemplateFilter } from './conditions.ts'

/** Templates that are rather looked at one by one than compared with whatever another condition lets through. */
const few = 20_000
/** So few that it does not matter whether another condition lets through fewer. */
const enough = 500

/**
 * The filter as a condition on all of `product_template`. Of several conditions on other tables the one that lets
 * few templates through is found first, and the rest is asked of these alone.
 */
export async function selective(db: Db, filter: TemplateFilter): Promise<Expression<SqlBool>> {
  const parts = conjuncts(filter)
  const narrowest = parts.filter(asksElsewhere).length > 1 ? await fewest(db, parts) : undefined
  if (!narrowest) return matching(db, filter, 'set')
  return expressionBuilder().and(parts.map(part => matching(db, part, part === narrowest ? 'set' : 'each')))
}

/** The conditions that must all be met, one in each filter. */
function conjuncts({ and = [], trait, ...rest }: TemplateFilter): TemplateFilter[] {
  const { type, ...values } = trait ?? {}
  const ofTrait = Object.entries(values).map(([name, value]) => ({ trait: { type, [name]: value } }))
  return [
    ...Object.entries(rest).map(([name, value]) => ({ [name]: value })),
    ...(trait && ofTrait.length === 0 ? [{ trait }] : ofTrait),
    ...and.flatMap(conjuncts)
  ] as TemplateFilter[]
}

/** The one that lets fewest templates through; undefined where none lets through few. */
async function fewest(db: Db, parts: TemplateFilter[]): Promise<TemplateFilter | undefined> {
  let narrowest: TemplateFilter | undefined
  let least = few
  // To search for a frequent word takes as long as to count many entries.
  for (const part of parts.toSorted((one, other) => Number('search' in one) - Number('search' in other))) {
    const ids = least > enough ? candidates(db, part) : undefined
    if (!ids) continue
    const { rows } = await sql<{
      count: number
    }>`select count(*) as count from (${ids} limit ${least}) as ids`.execute(db)
    const { count = least } = rows[0] ?? {}
    if (count < least) [narrowest, least] = [part, count]
  }
  return narrowest
}
