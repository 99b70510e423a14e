import { nameColumns } from '../../db/templates/filter/keys.ts'
import type { TemplateOrder } from '../../db/templates/read/order.ts'
import type { ProductTemplate } from '../../db/templates/table/columns.ts'

export interface Position {
  key: string | number
  id: number
}

const keys = {
  TIME_MODIFIED: ({ timeModified }: ProductTemplate) => timeModified,
  TIME_CREATED: ({ timeCreated }: ProductTemplate) => timeCreated,
  NAME: ({ name }: ProductTemplate) => nameColumns(name).name_key,
  ID: ({ id }: ProductTemplate) => id
}

export const positionOf = (template: ProductTemplate, { field }: TemplateOrder): Position => ({
  key: keys[field](template),
  id: template.id
})

export function compare(one: Position, other: Position, { direction }: TemplateOrder): number {
  const byKey =
    typeof one.key === 'number'
      ? one.key - (other.key as number)
      : Buffer.compare(Buffer.from(one.key), Buffer.from(other.key as string))
  return (byKey || one.id - other.id) * (direction === 'ASC' ? 1 : -1)
}

export const sortTemplates = <Each extends ProductTemplate>(
  templates: Each[],
  order: TemplateOrder
): Each[] =>
  templates.toSorted((one, other) => compare(positionOf(one, order), positionOf(other, order), order))

/** Whether a list has an order. */
export const isInOrder = (list: ProductTemplate[], order: TemplateOrder): boolean =>
  list.every((each, index) => {
    const before = list[index - 1]
    return !before || compare(positionOf(before, order), positionOf(each, order), order) < 0
  })
