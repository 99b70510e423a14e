import {
  chosenFields,
  columns,
  fieldNames,
  type ProductTemplate,
  type TemplateValues
} from '../../db/templates/table/columns.ts'
import { checkColumns } from '../edit/check-columns.ts'
import { checkWith as checkDocuments } from '../edit/check-document.ts'
import { fieldOf, shortMessage } from '../edit/problem.ts'
import type { Schema } from '../edit/schema.ts'
import type { FileRecord } from './parse-file.ts'

/** A template as `importProducts` takes it. */
export type Input = TemplateValues & Partial<ProductTemplate>

export type Checked = { place: number; input: Input } | { place: number; problem: string; name: string }

/** The fields of a template that a file may have; JSON also has `document`. */
export const fields: string[] = fieldNames

/** Makes a function that checks a record of a file; the service checks it once more. */
export function checkWith(schema: Schema): (record: FileRecord) => Checked {
  const check = checkDocuments(schema)
  return ({ place, value, problem, findColumn }) => {
    if (!value) return { place, problem: problem ?? '', name: '' }
    const name = String(value.name ?? '')
    const input = toInput(value)
    if (typeof input === 'string') return { place, name, problem: input }
    const [first] = [...checkColumns(input), ...check(input.data, input.componentName)]
    if (!first) return { place, input }
    const where = findColumn?.(first) ?? first.pointer ?? fieldOf(first)
    return { place, name, problem: `${where}: ${shortMessage(first)}` }
  }
}

/** Makes what the service takes of a record, or says what cannot be sent at all. */
function toInput(value: Record<string, unknown>): Input | string {
  const found = Object.fromEntries(Object.entries(value).filter(([, part]) => part !== null))
  const { data: text, document, publicProduct = false, componentName = 'DefaultProduct', ...rest } = found
  const data = typeof text === 'string' ? text : document === undefined ? undefined : JSON.stringify(document)
  const given: Record<string, unknown> = { ...rest, publicProduct, componentName, data }
  for (const field of chosenFields) {
    const { type, isOptional } = columns[field]
    const value = given[field]
    if (value === undefined && isOptional) continue
    if (typeof value !== typeNames[type])
      return `${field} is ${value === undefined ? 'missing' : `no ${typeNames[type]}`}`
  }
  if (rest.id !== undefined && !Number.isInteger(rest.id)) return 'id is no integer'
  return Object.fromEntries(
    fields.filter(field => field in given).map(field => [field, given[field]])
  ) as unknown as Input
}

const typeNames = {
  integer: 'number',
  boolean: 'boolean',
  text: 'string',
  time: 'string',
  document: 'string'
}
