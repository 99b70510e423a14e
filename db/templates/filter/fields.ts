import { compareBooleans, compareIntegers, compareTexts, compareTimes } from './operands/comparison.ts'
import { name } from './operands/name.ts'
import type { Operand } from './operands/operand.ts'
import { productId, search } from './operands/search.ts'
import { type TraitFilter, trait } from './operands/trait.ts'

/**
 * Every field that templates can be filtered by. The input type in the GraphQL schema, the type of a filter, its SQL, its cost
 * and its meaning in memory are derived from this table. The indexes of the orders need the column too; a test names one that
 * lacks it.
 */
export const fields = {
  id: { ...compareIntegers('id', { hasIndex: true }), description: 'Condition on the identifier.' },
  name: { ...name, description: 'Condition on the display name.' },
  componentName: { ...compareTexts('componentName'), description: 'Condition on the UI component.' },
  blockchainId: { ...compareIntegers('blockchainId'), description: 'Condition on the blockchain.' },
  publicProduct: {
    ...compareBooleans('publicProduct'),
    description: 'Condition on whether the template is public.'
  },
  maxItems: { ...compareIntegers('maxItems'), description: 'Condition on the maximum number of items.' },
  timeCreated: { ...compareTimes('timeCreated'), description: 'Condition on the creation time.' },
  timeModified: {
    ...compareTimes('timeModified'),
    description: 'Condition on the time of the last modification.'
  },
  productId: {
    ...productId,
    description: 'Condition on `productId` of the document; a number counts as its text.'
  },
  trait: {
    ...trait,
    description: 'Condition on a trait of the document. Use `and` for several traits.'
  },
  search: {
    ...search,
    description:
      'Words to find. Each must be the prefix of a word in the name, the description or the displayed value of a trait. ' +
      'Only letters and digits count; case and accents are ignored. At most 1000 characters.'
  }
}

type FieldName = keyof typeof fields

/** Returns the operand of a field; undefined if templates cannot be filtered by it. */
export const operandOf = (field: string): Operand<unknown> | undefined =>
  Object.hasOwn(fields, field) ? (fields[field as FieldName] as Operand<unknown>) : undefined

/** Conditions of a filter, by field. */
type FieldConditions = {
  [Name in FieldName]?: (typeof fields)[Name] extends Operand<infer Value> ? Value : never
}

/** Conditions on templates; all must hold. */
export interface TemplateFilter extends FieldConditions {
  /** An empty list is ignored. */
  and?: TemplateFilter[]
  /** An empty list matches nothing. */
  or?: TemplateFilter[]
  not?: TemplateFilter
}

/** Lists the conditions of a filter on traits. */
export const listTraits = ({ and = [], or = [], not, trait }: TemplateFilter): TraitFilter[] => [
  ...(trait ? [trait] : []),
  ...[...and, ...or, ...(not ? [not] : [])].flatMap(listTraits)
]
