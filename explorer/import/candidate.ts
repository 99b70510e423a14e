import {
  chosenFields,
  columns,
  fieldNames,
  type ProductTemplate,
  type TemplateValues,
  usualValues
} from '../../db/templates/table/columns.ts'
import { checkColumns } from '../edit/check-columns.ts'
import { checkWith as checkDocuments } from '../edit/check-document.ts'
import type { Problem } from '../edit/problem.ts'
import type { Schema } from '../edit/schema.ts'

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
    const problems = findWrongTypes(given)
    if (problems.length > 0) return { problems }
    const input = given as unknown as Input
    return { input, problems: [...checkColumns(input), ...check(input.data, input.componentName)] }
  }
}

/** What a record may omit. The API requires the first two. */
const { blockchainId, maxItems, ...omittable } = usualValues

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

function findWrongTypes(given: Record<string, unknown>): Problem[] {
  const refuse = (field: string, message: string) => [
    { code: 'WRONG_TYPE', message, path: [field], pointer: null }
  ]
  const wrong = chosenFields.flatMap(field => {
    const { type, isOptional } = columns[field]
    const value = given[field]
    if (value === undefined) return isOptional ? [] : refuse(field, 'is missing')
    return typeof value === typeNames[type] ? [] : refuse(field, `must be ${typeLabels[type]}`)
  })
  const { id } = given
  return id === undefined || Number.isInteger(id)
    ? wrong
    : [...wrong, ...refuse('id', `must be ${typeLabels.integer}`)]
}

const typeNames = {
  integer: 'number',
  boolean: 'boolean',
  text: 'string',
  time: 'string',
  document: 'string'
}
const typeLabels = {
  integer: 'a whole number',
  boolean: 'yes or no',
  text: 'a text',
  time: 'a time',
  document: 'JSON'
}
