import { maxInt, minInt, type ProductTemplate } from '../table/product-templates.ts'
import { checkJson } from './json-text.ts'
import { defaultMaxDataSize } from './max-data-size.ts'
import { type Problem, Problems } from './problem.ts'
import { checkDocument } from './schema.ts'

export type { Problem, ProblemCode } from './problem.ts'

/** What to do about documents that do not match the JSON Schema. */
export type ValidationMode = 'enforce' | 'warn' | 'off'

export interface ValidationOptions {
  /** `enforce` if omitted. */
  validation?: ValidationMode
  /** Maximum size of `data` in bytes of UTF-8. */
  maxDataSize?: number
}

/** The values of a template as they were given, of any type. */
export type GivenTemplate = {
  [field in keyof Omit<ProductTemplate, 'timeCreated' | 'timeModified'>]?: unknown
}

/** Characters. */
const longestName = 500
const longestComponentName = 100

/**
 * Checks the values of a template. Returns all `problems` to refuse it for, at most 100, and the `warnings`: with
 * `warn`, what is wrong with the document is a warning; with `off`, the document is not checked. Values that no
 * database can store are always problems.
 */
export function validateTemplate(
  template: GivenTemplate,
  { validation = 'enforce', maxDataSize = defaultMaxDataSize }: ValidationOptions = {}
): { problems: Problem[]; warnings: Problem[] } {
  const problems = new Problems()
  if (template.id !== undefined && template.id !== null) checkInteger(template, 'id', 0, problems)
  checkInteger(template, 'blockchainId', minInt, problems)
  checkInteger(template, 'maxItems', 1, problems)
  checkName(template, 'name', longestName, problems)
  checkType(template, 'publicProduct', 'boolean', 'true or false', problems)
  checkName(template, 'componentName', longestComponentName, problems)
  const isText =
    checkText(template, 'data', problems) && checkSize(template.data as string, maxDataSize, problems)
  if (!isText || validation === 'off') return { problems: problems.list, warnings: [] }

  const warnings = validation === 'warn' ? new Problems() : problems
  checkData(template.data as string, template.componentName, warnings)
  return { problems: problems.list, warnings: warnings === problems ? [] : warnings.list }
}

/** Checks the document alone. */
function checkData(data: string, componentName: unknown, problems: Problems): void {
  if (checkJson(data, problems)) checkDocument(JSON.parse(data), componentName, problems)
}

type Field = keyof GivenTemplate

function checkType(
  template: GivenTemplate,
  field: Field,
  type: string,
  expected: string,
  problems: Problems
): boolean {
  const value = template[field]
  if (value === undefined || value === null) problems.add('REQUIRED', field, `${field} is missing`)
  else if (typeof value !== type) problems.add('WRONG_TYPE', field, `${field} must be ${expected}`)
  else return true
  return false
}

function checkInteger(template: GivenTemplate, field: Field, minimum: number, problems: Problems): void {
  const expected = `an integer from ${minimum} to ${maxInt}`
  if (!checkType(template, field, 'number', expected, problems)) return
  const value = template[field] as number
  if (!Number.isInteger(value)) problems.add('WRONG_TYPE', field, `${field} must be ${expected}`)
  else if (value < minimum || value > maxInt)
    problems.add('OUT_OF_RANGE', field, `${field} must be ${expected}`)
}

/** PostgreSQL cannot store U+0000, and UTF-8 has no lone surrogates. */
function checkText(template: GivenTemplate, field: Field, problems: Problems): boolean {
  if (!checkType(template, field, 'string', 'a string', problems)) return false
  const text = template[field] as string
  if (text.isWellFormed() && !text.includes('\0')) return true
  problems.add('INVALID_TEXT', field, `${field} must not contain U+0000 or lone surrogates`)
  return false
}

function checkName(template: GivenTemplate, field: Field, longest: number, problems: Problems): void {
  if (!checkText(template, field, problems)) return
  const { length } = template[field] as string
  if (length === 0) problems.add('TOO_SHORT', field, `${field} must not be empty`)
  if (length > longest)
    problems.add('TOO_LARGE', field, `${field} must have at most ${longest} characters; it has ${length}`)
}

function checkSize(data: string, maxSize: number, problems: Problems): boolean {
  const size = Buffer.byteLength(data)
  if (size <= maxSize) return true
  problems.add('TOO_LARGE', 'data', `data must have at most ${maxSize} bytes; it has ${size}`)
  return false
}
