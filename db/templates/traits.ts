import { type Expression, expressionBuilder, type RawBuilder, type SqlBool, sql } from 'kysely'
import { engineOf } from '../dialects/engine.ts'
import type { Db } from '../schema.ts'
import type { TraitFilter } from './filter.ts'
import { oneOf } from './one-of.ts'
import { elementKey, storable, typeKey, valueKey } from './trait-key.ts'

/** What an entry of a trait must meet, and the part its text must have for that. */
interface Alternative {
  condition: Expression<SqlBool>
  part?: string
}

/** Conditions on a row of `product_template`: it has an entry for each thing the filter says. */
export function testTrait(db: Db, filter: TraitFilter): Expression<SqlBool> {
  const { and } = expressionBuilder()
  const tests = alternatives(db, filter).map(
    entries => sql<SqlBool>`(select 1 from ${engineOf(db).traitsByTemplate}
      where type = ${typeKey(filter.type)} and template_id = product_template.id
      and ${expressionBuilder().or(entries.map(({ condition }) => condition))} limit 1) is not null`
  )
  return tests.length === 1 ? (tests[0] as Expression<SqlBool>) : and(tests)
}

/** A query of the ids of the templates with such an entry, some of them more than once. The filter says one thing. */
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

/** For each thing that is said of the value the entries that meet it, as alternatives that an index finds one by one. */
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
  // Texts have keys from `string:` up to, in the order of code points, `string;`.
  const inText = sql<SqlBool>`${key} >= 'string:' and ${key} < 'string;' and ${engineOf(db).isIn(part, sql.ref('value'))}`
  return [{ condition: sql`key = ${elementKey(part)}` }, { condition: inText, part }]
}

/** An entry without a value and one with the value null are the same to a filter. */
const keysOf = (values: unknown[]): string[] =>
  values.flatMap(value => (value === null ? [valueKey(undefined), valueKey(null)] : [valueKey(value)]))
