import { chosenFields, columns, defaultMaxDataSize, type FieldName } from '../table/columns.ts'
import { checkField } from './check-field.ts'
import { checkJson } from './json-text.ts'
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
export type GivenTemplate = { [field in FieldName]?: unknown }

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
  for (const field of ['id', ...chosenFields] as const) {
    const fault = checkField(field, template[field]) ?? checkLength(field, template[field], maxDataSize)
    if (fault) problems.add(fault.code, field, fault.message)
  }
  const isStorable = !problems.list.some(({ path: [field] }) => field === 'data')
  if (!isStorable || validation === 'off') return { problems: problems.list, warnings: [] }

  const warnings = validation === 'warn' ? new Problems() : problems
  const data = template.data as string
  if (checkJson(data, warnings)) checkDocument(JSON.parse(data), template.componentName, warnings)
  return { problems: problems.list, warnings: warnings === problems ? [] : warnings.list }
}

/** Checks the length of a text that can be stored. */
function checkLength(
  field: FieldName,
  value: unknown,
  maxDataSize: number
): Pick<Problem, 'code' | 'message'> | undefined {
  const { type, longest } = columns[field]
  if (type === 'document') {
    const size = Buffer.byteLength(value as string)
    const message = `${field} must have at most ${maxDataSize} bytes; it has ${size}`
    return size > maxDataSize ? { code: 'TOO_LARGE', message } : undefined
  }
  const { length } = String(value)
  if (longest === undefined || (length > 0 && length <= longest)) return undefined
  if (length === 0) return { code: 'TOO_SHORT', message: `${field} must not be empty` }
  return {
    code: 'TOO_LARGE',
    message: `${field} must have at most ${longest} characters; it has ${length}`
  }
}
