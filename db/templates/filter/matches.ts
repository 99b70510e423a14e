/** The meaning of a filter in memory. plan.ts has the same meaning in SQL. */
import { sql } from 'kysely'
import type { ProductTemplate } from '../../../domain/columns.ts'
import type { IndexEntry } from '../../dialects/template-index.ts'
import type { Db } from '../../schema.ts'
import { toIndexEntry } from '../index/entries.ts'
import { listTraits, operandOf, type TemplateFilter } from './filter.ts'
import { typeKeys } from './keys.ts'
import type { Contents } from './operands/operand.ts'

/**
 * Whether contents in memory, such as a past revision, which no index has, match a filter exactly as a search would
 * find them. `knownNames` are those of {@link findKnownNames}.
 */
export function matchesFilter(
  filter: TemplateFilter,
  template: ProductTemplate,
  knownNames: ReadonlySet<string> = new Set()
): boolean {
  let entry: IndexEntry | undefined
  const contents = {
    template,
    knownNames,
    get entry() {
      entry ??= toIndexEntry(template)
      return entry
    }
  }
  return matches(contents, filter)
}

const matches = (contents: Contents, { and = [], or, not, ...byField }: TemplateFilter): boolean =>
  Object.entries(byField).every(([name, value]) => operandOf(name).matches(contents, value)) &&
  and.every(each => matches(contents, each)) &&
  (or === undefined || or.some(each => matches(contents, each))) &&
  (not === undefined || !matches(contents, not))

/**
 * Finds the names of traits in a filter that the store knows. A truncated name may stand for two stored names, and the
 * first counts only if the store knows it.
 */
export async function findKnownNames(db: Db, filter: TemplateFilter): Promise<Set<string>> {
  const names = listTraits(filter).flatMap(({ type }) => typeKeys(type).slice(0, -1))
  if (names.length === 0) return new Set()
  const { rows } = await sql<{ type: string }>`
    select type from product_trait_type where type in (${sql.join(names)})`.execute(db)
  return new Set(rows.map(({ type }) => type))
}
