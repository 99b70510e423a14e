import { fields, type TemplateFilter } from '../filter/fields.ts'
import type { TemplateOrder } from '../read/order.ts'

/** Whether a filter needs a complete index. */
export function filterNeedsIndex({ and = [], or = [], not, ...conditions }: TemplateFilter): boolean {
  const names = Object.keys(conditions) as (keyof typeof fields)[]
  if (names.some(name => fields[name].derived)) return true
  return [...and, ...or, ...(not ? [not] : [])].some(filterNeedsIndex)
}

/** Whether an order needs a complete index. */
export const orderNeedsIndex = (order: TemplateOrder): boolean => order.field === 'NAME'
