/** Whether what finds templates is right: the answers to many filters, and what they must be. */
import type { Test } from 'tap'
import type { Db } from '../../../db/schema.ts'
import { toFilter } from '../../../db/templates/filter/filter.ts'
import { planFilter } from '../../../db/templates/filter/plan.ts'
import { type Facet, listFacets } from '../../../db/templates/read/facets.ts'
import { ensureIndexed } from '../../../db/templates/template-index/state.ts'
import type { ProductTemplate } from '../../../domain/columns.ts'
import { matches, type Where } from '../../reference/filter.ts'

const filters: Where[] = [
  { name: { contains: 'oak' } },
  { name: { startsWith: 'amb' } },
  { name: { equals: 'x 6' } },
  { trait: { type: 'MadeIn', equals: 'Portugal' } },
  { trait: { type: 'FeaturesArray', contains: 'blue' } },
  { trait: { type: 'Note', contains: 'long' } },
  { trait: { type: 'MadeIn', exists: false } },
  { search: 'rare' },
  { search: 'odd text' },
  { or: [{ search: 'portugal' }, { trait: { type: 'UnitsProduced', equals: 7 } }] },
  { trait: { type: 'Old', exists: true } },
  { search: 'old' }
]

/** Fails where a filter finds others than these templates has. */
export async function checkAnswers(
  t: Test,
  db: Db,
  templates: ProductTemplate[],
  message = 'right'
): Promise<void> {
  const wrong: object[] = []
  for (const where of filters) {
    const found = await findIds(db, where)
    const wanted = templates.filter(template => matches(template, where)).map(({ id }) => id)
    const sorted = (ids: number[]) => ids.toSorted((one, other) => one - other).join()
    if (sorted(found) !== sorted(wanted)) wrong.push({ where, found, wanted })
  }
  t.same(wrong, [], message)
}

/** Every trait with its values: what the index has of traits. */
export async function allFacets(db: Db): Promise<Facet[]> {
  const facets: Facet[] = []
  const request = { types: undefined, first: 100 }
  const plan = planFilter(db, {})
  facets.push(...(await listFacets(db, plan, request)))
  return facets
}

async function findIds(db: Db, where: Where): Promise<number[]> {
  await ensureIndexed(db)
  const plan = planFilter(db, toFilter(where))
  return [...(await plan.findIds(db))]
}
