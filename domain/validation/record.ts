/** Reads a template from a record of an import. */
import { isObject } from '../../runtime/json-values.ts'
import { findNearest } from '../../runtime/nearest.ts'
import { columns, type FieldName, fieldNames, type ProductTemplate, type TemplateValues } from '../columns.ts'
import { isTimestamp } from '../timestamp.ts'
import { apiWords, checkField, type Fault } from './fields.ts'
import { makeProblem, type Problem, type ProblemCode } from './problem.ts'

/** A template to import. By default, it gets the next free id and the current time. */
export type NewTemplate = TemplateValues & Partial<ProductTemplate>

type RecordProblem = Problem<ProblemCode | 'UNKNOWN_FIELD' | 'AMBIGUOUS'>

/**
 * Converts a record to a template. A record has the nine fields, named as in GraphQL; `document`, an object, may
 * replace `data`. Also returns all problems. The template lacks the fields with problems.
 */
export function readRecord(record: unknown): { template: NewTemplate; problems: RecordProblem[] } {
  const values: Record<string, unknown> = {}
  const template = values as unknown as NewTemplate
  if (!isObject(record))
    return { template, problems: [makeProblem('WRONG_TYPE', 'a template must be a JSON object')] }
  const { document, ...fields } = record
  const problems = Object.keys(fields).flatMap(findUnknownField)
  const problem = document == null ? undefined : readDocumentField(document, fields)
  if (problem) problems.push(problem)
  for (const field of fieldNames) {
    if (field === 'data' && problem) continue
    const value = fields[field]
    const fault = checkField(field, value, apiWords) ?? checkTime(field, value)
    if (fault) problems.push(makeProblem(fault.code, fault.message, field))
    else if (value != null) values[field] = value
  }
  return { template, problems }
}

function findUnknownField(name: string): RecordProblem[] {
  const names: string[] = fieldNames
  if (names.includes(name)) return []
  const near = findNearest(name, [...names, 'document'])
  const shown = name.length > 40 ? `${name.slice(0, 40).toWellFormed()}…` : name
  const message = `"${shown}" is not a field${near ? `: did you mean "${near}"?` : ''}`
  return [makeProblem('UNKNOWN_FIELD', message, shown)]
}

/** Writes the document as `data`. Returns a problem if that is impossible. */
function readDocumentField(document: unknown, fields: Record<string, unknown>): RecordProblem | undefined {
  if (fields.data != null) return makeProblem('AMBIGUOUS', 'give either data or document', 'document')
  if (!isObject(document)) return makeProblem('WRONG_TYPE', 'document must be a JSON object', 'document')
  try {
    fields.data = JSON.stringify(document)
    return undefined
  } catch {
    return makeProblem('TOO_DEEP', 'document is nested too deeply', 'document')
  }
}

/** Checks the format of a time. Only imports give times. */
function checkTime(field: FieldName, value: unknown): Fault | undefined {
  if (value == null || columns[field].type !== 'time' || isTimestamp(String(value))) return undefined
  return { code: 'INVALID_TEXT', message: `${field} must be a UTC time such as 2026-01-31T09:30:00.000000Z` }
}
