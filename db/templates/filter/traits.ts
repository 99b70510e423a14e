import { type Expression, expressionBuilder, type RawBuilder, type SqlBool } from 'kysely'
import { engineOf } from '../../dialects/engine.ts'
import type { EntryCondition } from '../../dialects/interface.ts'
import type { Db } from '../../schema.ts'
import type { TraitFilter } from './conditions.ts'
import { storable, typeKeys, valueKey } from './trait-key.ts'

/** Returns the condition on a row of `product_template`: for each condition of the filter there is a matching entry. */
export function testTrait(db: Db, filter: TraitFilter): Expression<SqlBool> {
  const { traits } = engineOf(db)
  return expressionBuilder().and(conditions(filter).map(entry => traits.test(typeKeys(filter.type), entry)))
}

/** Selects the ids of templates with a matching entry, possibly with duplicates. The filter has one condition. */
export function findWithTrait(db: Db, filter: TraitFilter): RawBuilder<number> {
  const [condition = {}] = conditions(filter)
  return engineOf(db).traits.find(typeKeys(filter.type), condition)
}

function conditions({ equals, in: list, contains }: TraitFilter): EntryCondition[] {
  const said: EntryCondition[] = []
  if (equals !== undefined) said.push({ keys: keysOf([equals]) })
  if (list) said.push({ keys: keysOf(list) })
  if (contains !== undefined) said.push({ part: storable(contains) })
  return said.length === 0 ? [{}] : said
}

/** A filter treats an absent value and null alike. */
const keysOf = (values: unknown[]): string[] =>
  values.flatMap(value => (value === null ? [valueKey(undefined), valueKey(null)] : [valueKey(value)]))
