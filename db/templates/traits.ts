import { type Expression, expressionBuilder, type RawBuilder, type SqlBool, sql } from 'kysely'
import { engineOf } from '../dialects/engine.ts'
import type { Db } from '../schema.ts'
import type { TraitFilter } from './conditions.ts'
import { oneOf } from './one-of.ts'
import { elementKey, storable, typeKey, valueKey } from './trait-key.ts'

/** A condition on an entry of a trait, and the part that its text must contain to meet it. */
interface Alternative {
  condition: Expression<SqlBool>
  part?: string
}

/** Returns the condition on a row of `product_template`: for each condition of the filter there is a matching entry. */
export function testTrait(db: Db, filter: TraitFilter): Expression<SqlBool> {
  const { and } = expressionBuilder()
  const tests = alternatives(db, filter).map(
    entries => sql<SqlBool>`(select 1 from ${engineOf(db).traitsByTemplate}
      where type = ${typeKey(filter.type)} and template_id = product_template.id
      and ${expressionBuilder().or(entries.map(({ condition }) => condition))} limit 1) is not null`
  )
  return tests.length === 1 ? (tests[0] as Expression<SqlBool>) : and(tests)
}

/** Selects the ids of templates with a matching entry, possibly with duplicates. The filter has one condition. */
export function findWithTrait(db: Db, filter: TraitFilter): RawBuilder<number> {
  const [entries = [anything]] = alternatives(db, filter)
  const queries = entries.map(({ condition, part }) => {
    const entry = sql<SqlBool>`type = ${typeKey(filter.type)} and ${condition}`
    const narrowed = part === undefined ? undefined : engineOf(db).search.withTraitLike(part, entry)
    return narrowed ?? sql`select template_id from product_trait where ${entry}`
  })
  return sql.join(queries, sql` union all `) as RawBuilder<number>
}

const anything: Alternative = { condition: sql`1 = 1` }

/** Converts each condition on the value to alternatives, each of which an index can find. */
function alternatives(db: Db, { equals, in: list, contains }: TraitFilter): Alternative[][] {
  const key = sql.ref<string>('key')
  const said: Alternative[][] = []
  if (equals !== undefined) said.push([{ condition: oneOf(key, keysOf([equals])) }])
  if (list) said.push([{ condition: oneOf(key, keysOf(list)) }])
  if (contains !== undefined) said.push(containing(db, storable(contains)))
  return said.length === 0 ? [[anything]] : said
}

function containing(db: Db, part: string): Alternative[] {
  const key = sql.ref<string>('key')
  // The keys of strings are from `string:` up to `string;`, by code point.
  const inText = sql<SqlBool>`${key} >= 'string:' and ${key} < 'string;' and ${engineOf(db).isIn(part, sql.ref('value'))}`
  return [{ condition: sql`key = ${elementKey(part)}` }, { condition: inText, part }]
}

/** A filter treats an absent value and null alike. */
const keysOf = (values: unknown[]): string[] =>
  values.flatMap(value => (value === null ? [valueKey(undefined), valueKey(null)] : [valueKey(value)]))
