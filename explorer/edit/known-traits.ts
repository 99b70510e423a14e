import { isObject, parseObject } from '../../runtime/json-values.ts'
import type { TraitFacet } from '../filters/counts.ts'
import { isPrice } from '../price.ts'
import { forms } from '../table/additions.ts'
import type { ColumnForm } from '../table/forms.ts'
import type { Kind } from './trait-kinds.ts'

/** Returns the form of a trait's texts, which the table guesses, too; undefined if it has none. */
export function findForm(facets: TraitFacet[], name: unknown): ColumnForm | undefined {
  const facet = facets.find(({ type }) => type === name)
  return facet && guessForm(facet)
}

/** Guesses the form of a trait's texts from the most frequent ones; undefined if it has none. */
export const guessForm = ({ type, values }: TraitFacet): ColumnForm | undefined =>
  forms?.guessForm(
    type,
    values.map(({ text }) => text).filter(text => text !== ''),
    isPrice(type)
  )

const kinds: Record<string, Kind> = { INTEGER: 'number', BOOLEAN: 'boolean', ARRAY: 'list' }

/** Returns the kind of a trait's value in most templates. */
export function kindOfFacet({ values }: TraitFacet): Kind {
  const groups = Map.groupBy(values, ({ valueType }) => kinds[valueType] ?? 'text')
  const sum = (group: typeof values) => group.reduce((sum, { count }) => sum + count, 0)
  const [[kind] = ['text']] = [...groups].sort(([, one], [, other]) => sum(other) - sum(one))
  return kind as Kind
}

/** Lists the entries of `attributes`, of any kind; none if the text has no such list. */
export function listEntries(data = ''): { trait_type?: unknown; value?: unknown }[] {
  const attributes = parseObject(data)?.attributes
  return Array.isArray(attributes) ? attributes.map(entry => (isObject(entry) ? entry : {})) : []
}
