import { type JSONVisitor, visit } from 'jsonc-parser'
import { isStorable } from '../../text.ts'
import { isTimestamp } from '../../timestamp.ts'
import {
  type Column,
  chosenFields,
  columns,
  defaultMaxDataSize,
  type FieldName,
  maxInt
} from '../table/columns.ts'
import { type Problem, Problems, toPointer } from './problem.ts'
import { checkDocument } from './schema.ts'

/** What to do about a document that does not match the JSON Schema. */
type ValidationMode = 'enforce' | 'warn' | 'off'

export interface ValidationOptions {
  /** `enforce` if omitted. */
  validation?: ValidationMode
  /** Maximum size of `data` in bytes of UTF-8. */
  maxDataSize?: number
}

/** The values of a template as the caller gave them, of any type. */
export type GivenTemplate = { [field in FieldName]?: unknown }

/**
 * Checks the values of a template. Returns at most 100 `problems`, for each of which it must be refused. With `warn`, the
 * problems of the document are `warnings`. With `off`, the document is not checked. A value that a database cannot store
 * is always a problem.
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
  const hasBadData = problems.list.some(({ path: [field] }) => field === 'data')
  if (hasBadData || validation === 'off') return { problems: problems.list, warnings: [] }

  const warnings = validation === 'warn' ? new Problems() : problems
  const data = template.data as string
  if (checkJson(data, warnings)) checkDocument(JSON.parse(data), template.componentName, warnings)
  return { problems: problems.list, warnings: warnings === problems ? [] : warnings.list }
}

/** Checks the length of a text that can be stored. */
function checkLength(field: FieldName, value: unknown, maxDataSize: number): Fault | undefined {
  const { type, longest, isOptional } = columns[field]
  if (type === 'document') {
    const size = Buffer.byteLength(value as string)
    const message = `${field} must have at most ${maxDataSize} bytes; it has ${size}`
    return size > maxDataSize ? { code: 'TOO_LARGE', message } : undefined
  }
  const { length } = String(value ?? '')
  if (longest === undefined || ((length > 0 || isOptional) && length <= longest)) return undefined
  if (length === 0) return { code: 'TOO_SHORT', message: `${field} must not be empty` }
  const message = `${field} must have at most ${longest} characters; it has ${length}`
  return { code: 'TOO_LARGE', message }
}

type Fault = Pick<Problem, 'code' | 'message'>

/** Returns the fault of a field's value: it is missing, or a database cannot store it. */
export function checkField(field: FieldName, value: unknown): Fault | undefined {
  const column = columns[field]
  if (value === undefined || value === null)
    return column.isOptional ? undefined : { code: 'REQUIRED', message: `${field} is missing` }
  const fault = checks[column.type](value, column)
  return fault && { ...fault, message: `${field} ${fault.message}` }
}

const checks: Record<Column['type'], (value: unknown, column: Column) => Fault | undefined> = {
  integer(value, { least = 0 }) {
    const message = `must be an integer from ${least} to ${maxInt}`
    if (!Number.isInteger(value)) return { code: 'WRONG_TYPE', message }
    const fits = (value as number) >= least && (value as number) <= maxInt
    return fits ? undefined : { code: 'OUT_OF_RANGE', message }
  },
  boolean: value =>
    typeof value === 'boolean' ? undefined : { code: 'WRONG_TYPE', message: 'must be true or false' },
  time(value) {
    if (typeof value !== 'string' || isTimestamp(value)) return checkText(value)
    return { code: 'INVALID_TEXT', message: 'must be a UTC time such as 2026-01-31T09:30:00.000000Z' }
  },
  text: checkText,
  document: checkText
}

function checkText(value: unknown): Fault | undefined {
  if (typeof value !== 'string') return { code: 'WRONG_TYPE', message: 'must be a string' }
  return isStorable(value)
    ? undefined
    : { code: 'INVALID_TEXT', message: 'must not contain U+0000 or lone surrogates' }
}

/** Maximum depth of arrays and objects in a document. */
const maxDepth = 100

/** The text cannot be parsed or is nested too deeply, so the rest of it is not read. */
class UnusableText extends Error {}

/**
 * Checks a JSON text for what JSON.parse does not report: the place of a mistake, duplicate keys and the depth. Returns
 * whether the text can be parsed and validated.
 */
export function checkJson(text: string, problems: Problems): boolean {
  /** The keys so far of each open array or object. */
  const open: Set<string>[] = []
  const begin: JSONVisitor['onObjectBegin'] = (_offset, _length, _line, _character, path) => {
    open.push(new Set())
    if (open.length <= maxDepth) return
    problems.add('TOO_DEEP', 'data', `data has more than ${maxDepth} levels`, toPointer(path()))
    throw new UnusableText()
  }
  const end = () => void open.pop()
  const visitor: JSONVisitor = {
    onObjectBegin: begin,
    onArrayBegin: begin,
    onObjectEnd: end,
    onArrayEnd: end,
    onObjectProperty(key, _offset, _length, _line, _character, path) {
      const keys = open.at(-1)
      if (keys?.has(key))
        problems.add(
          'DUPLICATE_KEY',
          'data',
          'a key occurs twice in the same object',
          toPointer([...path(), key])
        )
      keys?.add(key)
    },
    onError(_code, _offset, _length, line, character) {
      const place = `line ${line + 1}, column ${character + 1}`
      problems.add('INVALID_JSON', 'data', `data is not valid JSON: see ${place}`)
      throw new UnusableText()
    }
  }
  try {
    visit(text, visitor, { disallowComments: true })
    return true
  } catch (error) {
    if (error instanceof UnusableText) return false
    throw error
  }
}
