import { nameColumns, toStorable } from '../../db/templates/filter/keys.ts'
import type { Position, TemplateOrder } from '../../db/templates/read/order.ts'
import type { ProductTemplate } from '../../domain/columns.ts'
import { byCodePoints, numberIn, valuesByTrait } from './facets.ts'

const keys = {
  TIME_MODIFIED: ({ timeModified }: ProductTemplate) => timeModified,
  TIME_CREATED: ({ timeCreated }: ProductTemplate) => timeCreated,
  NAME: ({ name }: ProductTemplate) => nameColumns(name).name_key,
  ID: ({ id }: ProductTemplate) => id,
  COMPONENT_NAME: ({ componentName }: ProductTemplate) => componentName,
  BLOCKCHAIN_ID: ({ blockchainId }: ProductTemplate) => blockchainId,
  PUBLIC_PRODUCT: ({ publicProduct }: ProductTemplate) => Number(publicProduct),
  MAX_ITEMS: ({ maxItems }: ProductTemplate) => maxItems
}

export const positionOf = (template: ProductTemplate, order: TemplateOrder): Position => ({
  key: order.trait == null ? keys[order.field](template) : keyOfTrait(template, order.trait, order.direction),
  id: template.id
})

/** Numbers, then other texts, or the reverse; templates without the trait come last in both directions. */
function keyOfTrait({ data }: ProductTemplate, trait: string, direction: string): [number, string] {
  const values = [...(valuesByTrait(data).get(toStorable(trait))?.values() ?? [])]
  const texts = values.map(({ text }) => [...text].slice(0, 40).join('')).sort(byCodePoints)
  const [text] = texts
  if (text === undefined) return [direction === 'ASC' ? 2e17 : -2e17, '']
  return [numberIn(text) ?? 1e17, text]
}

export function compare(one: Position, other: Position, { direction }: TemplateOrder): number {
  const others = [other.key, other.id].flat()
  const differences = [one.key, one.id]
    .flat()
    .map((key, at) =>
      typeof key === 'number' ? key - Number(others[at]) : byCodePoints(key, String(others[at]))
    )
  return (differences.find(Boolean) ?? 0) * (direction === 'ASC' ? 1 : -1)
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
