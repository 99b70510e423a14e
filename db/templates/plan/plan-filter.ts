import type { Db } from '../../schema.ts'
import { type Field, fields } from '../filter/fields.ts'
import type { TemplateFilter } from '../filter/filter.ts'
import type { IdSet } from './id-set.ts'
import type { Plan } from './plan.ts'
import { negate, type Part, planCondition } from './plan-condition.ts'
import { planAll, planAny } from './plan-parts.ts'

/** Maximum cost of finding out whether few templates match. */
const maxCostToFindFew = 5000

/** Plans a filter for about `templates` templates. Runs no query. */
export function planFilter(db: Db, filter: TemplateFilter, templates: number): Plan {
  const parts = partsOf(db, filter, templates)
  const { find, findFew, count, indexed, ...root } = planAll(db, parts, templates)
  const strategy = parts.length === 0 ? 'all' : indexed ? 'idList' : 'perRow'
  let found: Promise<IdSet> | undefined
  let counted: Promise<number> | undefined
  return {
    ...root,
    filter,
    strategy,
    templates,
    matches: meter => {
      found ??= find(meter) as Promise<IdSet>
      return found
    },
    count:
      count &&
      (meter => {
        counted ??= found ? found.then(({ ids }) => ids.length) : count(meter)
        return counted
      }),
    async findFew(limit, meter) {
      const few = found ? await found : await findFew?.(limit, meter, maxCostToFindFew)
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
