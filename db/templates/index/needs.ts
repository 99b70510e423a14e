import { fields } from '../fields.ts'
import type { TemplateFilter } from '../filter.ts'
import type { TemplateOrder } from '../order.ts'

/** Whether a filter gives the right templates only while the index is complete. */
export function filterNeedsIndex({ and = [], or = [], not, ...conditions }: TemplateFilter): boolean {
  const names = Object.keys(conditions) as (keyof typeof fields)[]
  if (names.some(name => fields[name].derived)) return true
  return [...and, ...or, ...(not ? [not] : [])].some(filterNeedsIndex)
}

/** Whether an order is right only then. */
export const orderNeedsIndex = (order: TemplateOrder): boolean => order.field === 'NAME'
