import type { FieldName } from '../../domain/columns.ts'
import { checkField, checkLength, type Words } from '../../domain/validation/fields.ts'
import { makeProblem } from '../../domain/validation/problem.ts'
import { formatCount } from '../format.ts'
import type { Problem } from './problem.ts'

const words: Words = {
  integer: 'a whole number',
  boolean: 'yes or no',
  string: 'a text',
  formatNumber: formatCount
}

/** Checks fields for what no setting of the service changes. The messages are without the name of the field. */
export const checkFields = (
  fields: readonly FieldName[],
  values: { readonly [field in FieldName]?: unknown }
): Problem[] =>
  fields.flatMap(field => {
    const fault = checkField(field, values[field], words) ?? checkLength(field, values[field], words)
    return fault ? [makeProblem(fault.code, fault.message.slice(field.length + 1), field)] : []
  })
