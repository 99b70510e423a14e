import {
  defaultValues,
  editableFields,
  fieldNames,
  type ProductTemplate,
  type TemplateValues
} from '../../../../domain/columns.ts'
import { checkWith as checkDocuments } from '../../../../explorer/edit/check-document.ts'
import { checkFields } from '../../../../explorer/edit/check-fields.ts'
import type { Problem } from '../../../../explorer/edit/problem.ts'
import type { Schema } from '../../../../explorer/edit/schema.ts'

/** A template as `importProducts` expects it. */
export type Input = TemplateValues & Partial<ProductTemplate>

/** The template of a record, if it can be sent, and its problems. */
export interface Checked {
  input?: Input
  problems: Problem[]
}

/** Returns the check of a record. The service checks again. */
export function checkWith(schema: Schema): (values: Record<string, unknown>) => Checked {
  const check = checkDocuments(schema)
  return values => {
    const given = toFields(values)
    const problems = checkFields(['id', ...editableFields], given)
    // Only a template with values of the right types can be shown, and its document checked.
    if (problems.some(({ code }) => code === 'REQUIRED' || code === 'WRONG_TYPE')) return { problems }
    const input = given as unknown as Input
    return { input, problems: [...problems, ...check(input.data, input.componentName)] }
  }
}

/** What a record may omit. The API requires the first two. */
const { blockchainId, maxItems, ...omittable } = defaultValues

/** Returns the fields of a record. JSON records may have `document` instead of `data`, and may omit some fields. */
function toFields(values: Record<string, unknown>): Record<string, unknown> {
  const found = Object.fromEntries(Object.entries(values).filter(([, part]) => part != null))
  const { data: text, document } = found
  const data = text ?? (document === undefined ? undefined : JSON.stringify(document))
  const given: Record<string, unknown> = { ...omittable, ...found, data }
  return Object.fromEntries(
    fieldNames.filter(field => given[field] !== undefined).map(field => [field, given[field]])
  )
}
