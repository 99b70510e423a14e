import type { TemplateValues } from '../../domain/columns.ts'
import { isTrait } from '../../domain/document.ts'
import { isObject, parseObject } from '../../runtime/json-values.ts'
import type { TraitFacet } from '../filters/counts.ts'
import { isPrice } from '../price.ts'
import { forms } from '../table/additions.ts'
import type { ColumnForm } from '../table/forms.ts'
import type { Kind } from './trait-kinds.ts'

/**
 * Returns the form of a trait's texts, as the table guesses it from the most frequent ones; undefined if it has
 * none. What the template had before needs no note, either.
 */
export function findForm(
  facets: TraitFacet[],
  name: unknown,
  initial?: TemplateValues
): ColumnForm | undefined {
  const facet = facets.find(({ type }) => type === name)
  const form = facet && guessForm(facet)
  return form && { ...form, others: [...form.others, ...listTexts(initial, name)] }
}

/** Guesses the form of a trait's texts from the most frequent ones; undefined if it has none. */
export const guessForm = ({ type, values }: TraitFacet): ColumnForm | undefined =>
  forms?.guessForm(
    type,
    values.map(({ text }) => text).filter(text => text !== ''),
    isPrice(type)
  )

const kinds: Record<string, Kind> = { INTEGER: 'number', BOOLEAN: 'boolean', ARRAY: 'list' }

/** Returns the kind of a trait's most frequent value. */
export const kindOfFacet = ({ values }: TraitFacet): Kind => kinds[values[0]?.valueType ?? ''] ?? 'text'

/** Lists the texts that a trait has in a template. */
const listTexts = (template: TemplateValues | undefined, name: unknown): string[] =>
  listEntries(template?.data)
    .filter(entry => isTrait(entry) && entry.trait_type === name)
    .flatMap(({ value }) => (typeof value === 'string' ? value : []))

/** Lists the entries of `attributes`, of any kind; none if the text has no such list. */
export function listEntries(data = ''): { trait_type?: unknown; value?: unknown }[] {
  const attributes = parseObject(data)?.attributes
  return Array.isArray(attributes) ? attributes.map(entry => (isObject(entry) ? entry : {})) : []
}
