import {
  type Expression,
  type ExpressionBuilder,
  expressionBuilder,
  type RawBuilder,
  type SqlBool,
  sql
} from 'kysely'
import { engineOf } from '../dialects/engine.ts'
import type { Database, Db, ProductTemplateTable } from '../schema.ts'
import { foldedName, nameKey } from './index-templates.ts'
import { folded, searchTerms } from './search-terms.ts'
import { elementKey, storable, typeKey, valueKey } from './trait-key.ts'

export interface Comparison<T> {
  equals?: T
  in?: T[]
  gt?: T
  gte?: T
  lt?: T
  lte?: T
}

export interface TraitFilter {
  type: string
  /** null: the entry has no value. */
  equals?: unknown
  in?: unknown[]
  /** A part of a text, or one text of a list. */
  contains?: string
  /** false: there is no such entry. */
  exists?: boolean
}

/** Which templates: those that meet every condition that is given. */
export interface TemplateFilter {
  id?: Comparison<number>
  name?: Pick<Comparison<string>, 'equals' | 'in'> & { contains?: string; startsWith?: string }
  componentName?: Pick<Comparison<string>, 'equals' | 'in'>
  blockchainId?: Comparison<number>
  publicProduct?: { equals?: boolean }
  maxItems?: Comparison<number>
  /** `YYYY-MM-DDTHH:MM:SS.ffffffZ`, as stored. */
  timeCreated?: Comparison<string>
  timeModified?: Comparison<string>
  trait?: TraitFilter
  search?: string
  and?: TemplateFilter[]
  or?: TemplateFilter[]
  not?: TemplateFilter
}

/**
 * How a condition on other tables is asked: for `each` template as it comes by, which is fast where many
 * match; as a `set` that is found first, which is fast where few do; or, where it is one of several
 * possibilities, by whether the template is a `member` of that set.
 */
export type Form = 'each' | 'set' | 'member'

type Condition = Expression<SqlBool>

/** The filter as a condition on `product_template`. */
export function matching(db: Db, filter: TemplateFilter, form: Form): Condition {
  const eb = expressionBuilder<Database, 'product_template'>()
  const all = (filters: TemplateFilter[], as = form) => filters.map(each => matching(db, each, as))
  const possible = form === 'set' ? 'member' : form
  return eb.and([
    ...comparison(eb, 'id', filter.id),
    ...name(db, eb, filter.name, form),
    ...comparison(eb, 'component_name', texts(filter.componentName)),
    ...comparison(eb, 'blockchain_id', filter.blockchainId),
    ...comparison(eb, 'public_product', flag(filter.publicProduct)),
    ...comparison(eb, 'max_items', filter.maxItems),
    ...comparison(eb, 'time_created', filter.timeCreated),
    ...comparison(eb, 'time_modified', filter.timeModified),
    ...(filter.trait ? trait(db, filter.trait, form) : []),
    ...search(db, filter.search, form),
    ...all(filter.and ?? []),
    ...(filter.or ? [eb.or(all(filter.or, possible))] : []),
    ...(filter.not ? [eb.not(matching(db, filter.not, possible))] : [])
  ])
}

/** Whether the filter asks other tables than that of the templates. */
export function asksElsewhere({ name, trait, search, and = [], or = [], not }: TemplateFilter): boolean {
  return (
    name?.contains !== undefined ||
    trait !== undefined ||
    search !== undefined ||
    [...and, ...or, ...(not ? [not] : [])].some(asksElsewhere)
  )
}

const templateId = sql.ref<number>('product_template.id')

const operators = { gt: '>', gte: '>=', lt: '<', lte: '<=', equals: '=' } as const

function comparison<T extends string | number>(
  eb: ExpressionBuilder<Database, 'product_template'>,
  column: keyof ProductTemplateTable,
  { in: list, ...bounds }: Comparison<T> = {}
): Condition[] {
  const conditions = Object.entries(operators).flatMap(([name, operator]) => {
    const value = bounds[name as keyof typeof bounds]
    return value === undefined ? [] : [eb(column, operator, value as never)]
  })
  return list ? [...conditions, oneOf(eb.ref(column), list)] : conditions
}

/** PostgreSQL has no empty list. */
const oneOf = (value: Expression<unknown>, list: unknown[]): Condition =>
  list.length === 0 ? sql`1 = 0` : sql`${value} in (${sql.join(list)})`

const texts = (filter: Comparison<string> = {}): Comparison<string> => ({
  ...(filter.equals !== undefined && { equals: storable(filter.equals) }),
  ...(filter.in && { in: filter.in.map(storable) })
})

const flag = ({ equals }: { equals?: boolean } = {}): Comparison<number> =>
  equals === undefined ? {} : { equals: equals ? 1 : 0 }

/** The key finds a name by its index, whatever its length, the rest of it decides. */
function name(
  db: Db,
  eb: ExpressionBuilder<Database, 'product_template'>,
  { contains, startsWith, ...exact }: NonNullable<TemplateFilter['name']> = {},
  form: Form
): Condition[] {
  const { equals, in: list } = texts(exact)
  const keys = [...(equals === undefined ? [] : [[equals]]), ...(list ? [list] : [])]
  const conditions = keys.flatMap(values => [
    oneOf(
      eb.ref('name_key'),
      values.map(value => nameKey(folded(value)))
    ),
    oneOf(eb.ref('name'), values)
  ])
  if (contains !== undefined) {
    const part = foldedName(contains)
    const ids = form === 'set' ? engineOf(db).search.namedLike(part) : undefined
    if (ids) conditions.push(inSet(db, ids, form))
    conditions.push(engineOf(db).isIn(part, eb.ref('name_folded')))
  }
  if (startsWith) {
    const start = foldedName(startsWith)
    const key = nameKey(start)
    conditions.push(eb('name_key', '>=', key), eb('name_key', '<=', `${key}\u{10FFFF}`))
    if (start !== key) conditions.push(sql`substr(name_folded, 1, ${[...start].length}) = ${start}`)
  }
  return conditions
}

function trait(db: Db, filter: TraitFilter, form: Form): Condition[] {
  const has = (alternatives: Alternative[], as = form) => hasTrait(db, filter.type, alternatives, as)
  const conditions = values(db, filter).map(alternatives => has(alternatives))
  if (filter.exists === false)
    return [...conditions, expressionBuilder().not(has([anything], form === 'each' ? 'each' : 'member'))]
  return conditions.length === 0 ? [has([anything])] : conditions
}

/** What an entry meets; the part that its text then has. */
interface Alternative {
  condition: Condition
  part?: string
}

const anything: Alternative = { condition: sql`1 = 1` }

/** What is said of a trait's value, each time as alternatives, so that an index can be asked for one at a time. */
function values(db: Db, { equals, in: list, contains }: TraitFilter): Alternative[][] {
  const key = sql.ref<string>('key')
  const conditions: Alternative[][] = []
  if (equals !== undefined) conditions.push([{ condition: oneOf(key, keysOf([equals])) }])
  if (list) conditions.push([{ condition: oneOf(key, keysOf(list)) }])
  if (contains !== undefined) {
    const part = storable(contains)
    // Texts have keys from `string:` up to, in the order of code points, `string;`.
    const inText = sql<SqlBool>`${key} >= 'string:' and ${key} < 'string;' and ${engineOf(db).isIn(part, sql.ref('value'))}`
    conditions.push([{ condition: isElement(part) }, { condition: inText, part }])
  }
  return conditions
}

const isElement = (text: string): Condition => sql`key = ${elementKey(text)}`

/** Without a value, and with the value null, it is the same to somebody who asks. */
const keysOf = (values: unknown[]): string[] =>
  values.flatMap(value => (value === null ? [valueKey(undefined), valueKey(null)] : [valueKey(value)]))

function hasTrait(db: Db, type: string, alternatives: Alternative[], form: Form): Condition {
  if (form !== 'each') return inSet(db, withTrait(db, type, alternatives), form)
  // SQLite would join what `exists` asks, and may begin with the entries.
  return sql`(select 1 from ${engineOf(db).traitsByTemplate}
    where type = ${typeKey(type)} and template_id = ${templateId}
    and ${expressionBuilder().or(alternatives.map(({ condition }) => condition))} limit 1) is not null`
}

function withTrait(db: Db, type: string, alternatives: Alternative[]): RawBuilder<number> {
  const queries = alternatives.map(({ condition, part }) => {
    const entry = sql<SqlBool>`type = ${typeKey(type)} and ${condition}`
    const found = part === undefined ? undefined : engineOf(db).search.withTraitLike(part, entry)
    return found ?? sql`select template_id from product_trait where ${entry}`
  })
  return sql.join(queries, sql` union all `) as RawBuilder<number>
}

/** A text without a word asks for nothing. */
function search(db: Db, text: string | undefined, form: Form): Condition[] {
  const terms = searchTerms(text ?? '')
  if (terms.length === 0) return []
  const { matches, ids } = engineOf(db).search
  return [form === 'each' ? matches(templateId, terms) : inSet(db, ids(terms), form)]
}

const inSet = (db: Db, ids: RawBuilder<number>, form: Form): Condition =>
  form === 'set' ? engineOf(db).isOneOf(templateId, ids) : sql`${templateId} in (${ids})`

/** The templates that a condition on other tables lets through, where an index names them all. */
export function candidates(db: Db, { name, trait, search }: TemplateFilter): RawBuilder<number> | undefined {
  if (name?.contains !== undefined) return engineOf(db).search.namedLike(foldedName(name.contains))
  const terms = searchTerms(search ?? '')
  if (terms.length > 0) return engineOf(db).search.ids(terms)
  if (!trait || trait.exists === false) return undefined
  if (trait.contains !== undefined) return maybeContaining(db, trait.type, storable(trait.contains))
  return withTrait(db, trait.type, values(db, trait)[0] ?? [anything])
}

function maybeContaining(db: Db, type: string, part: string): RawBuilder<number> | undefined {
  const ids = engineOf(db).search.traitLike(part)
  return ids && sql`${withTrait(db, type, [{ condition: isElement(part) }])} union all ${ids}`
}
