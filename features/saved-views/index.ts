import type { Feature } from '../feature.ts'

/** Views of the table by name: a filter, an order and columns, for oneself or for all. */
export const savedViews: Feature = {
  tables: { product_saved_view: { key: ['id'] } },
  migrations: { 'saved-views/0001-initial': () => import('./migration.ts') },
  schema: () => import('./resolvers.ts')
}
