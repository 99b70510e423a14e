import { type JSONVisitor, visit } from 'jsonc-parser'
import { tryParseJson } from '../../runtime/json-values.ts'
import { defaultMaxDataSize, editableFields, type FieldName } from '../columns.ts'
import { apiWords, checkField, checkLength, type Fault, maxLevels } from './fields.ts'
import { makeProblem, type Problem, Problems, toPointer } from './problem.ts'
import { checkDocument } from './schema.ts'

/** How to treat a document that does not match the JSON Schema. */
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
 * Checks the values of a template. Returns at most 100 `problems`, for each of which it must be refused. With `warn`,
 * the problems of the document are `warnings`. With `off`, the document is not checked. A value that a database cannot
 * store, and a document that is nested too deeply, are always problems.
 */
export function validateTemplate(
  template: GivenTemplate,
  { validation = 'enforce', maxDataSize = defaultMaxDataSize }: ValidationOptions = {}
): { problems: Problem[]; warnings: Problem[] } {
  const problems = new Problems()
  for (const field of ['id', ...editableFields] as const) {
    const value = template[field]
    const fault =
      checkSize(field, value, maxDataSize) ??
      checkField(field, value, apiWords) ??
      checkLength(field, value, apiWords)
    // This finds the place, too.
    if (fault?.code === 'TOO_DEEP') checkJson(value as string, problems)
    else if (fault) problems.add(fault.code, field, fault.message)
  }
  const hasBadData = problems.list.some(({ path: [field] }) => field === 'data')
  if (hasBadData || validation === 'off') return { problems: problems.list, warnings: [] }

  const warnings = validation === 'warn' ? new Problems() : problems
  const data = template.data as string
  if (checkJson(data, warnings)) checkDocument(JSON.parse(data), template.componentName, warnings)
  return { problems: problems.list, warnings: warnings === problems ? [] : warnings.list }
}

/** The check of imports that have no other check: `data` is JSON. A missing document is found elsewhere. */
export function requireJson({ data }: GivenTemplate): { problems: Problem[]; warnings: Problem[] } {
  const isWrong = typeof data === 'string' && tryParseJson(data) === undefined
  const problems = isWrong ? [makeProblem('INVALID_JSON', 'data must be JSON text', 'data')] : []
  return { problems, warnings: [] }
}

function checkSize(field: FieldName, value: unknown, maxDataSize: number): Fault | undefined {
  if (field !== 'data' || typeof value !== 'string') return undefined
  const size = Buffer.byteLength(value)
  const message = `${field} must have at most ${maxDataSize} bytes; it has ${size}`
  return size > maxDataSize ? { code: 'TOO_LARGE', message } : undefined
}

/** The text cannot be parsed or is nested too deeply, so the rest of it is not read. */
class UnusableText extends Error {}

/**
 * Checks a JSON text for facts that JSON.parse does not report: the place of a mistake, duplicate keys and the depth.
 * Returns whether the text can be parsed and validated.
 */
export function checkJson(text: string, problems: Problems): boolean {
  /** The keys so far of each open array or object. */
  const open: Set<string>[] = []
  const begin: JSONVisitor['onObjectBegin'] = (_offset, _length, _line, _character, path) => {
    open.push(new Set())
    if (open.length <= maxLevels) return
    problems.add('TOO_DEEP', 'data', `data has more than ${maxLevels} levels`, toPointer(path()))
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
