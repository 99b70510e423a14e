import { findNearest } from '../../../options/nearest.ts'
import { fieldNames, type ProductTemplate, type TemplateValues } from '../table/columns.ts'
import { isObject, parseJson } from '../table/document.ts'
import { makeProblem } from '../validation/problem.ts'
import { checkField } from '../validation/validate.ts'
import type { WriteProblem } from '../writing/decisions.ts'

/** A problem of a record. Its code is one of a write, or of those here. */
export interface Problem extends Omit<WriteProblem, 'code'> {
  code:
    | WriteProblem['code']
    /** The record cannot be read. */
    | 'UNREADABLE'
    /** Templates do not have this field. */
    | 'UNKNOWN_FIELD'
    /** Another record of the import has this id. */
    | 'DUPLICATE_ID'
}

/** A template to import. By default, it gets the next free id and the current time. */
export type NewTemplate = TemplateValues & Partial<ProductTemplate>

/**
 * Converts a record to a template. A record has the nine fields, named as in GraphQL; `document`, an object, may replace
 * `data`. Also returns all problems. The template lacks the fields with problems.
 */
export function readRecord(record: unknown): { template: NewTemplate; problems: Problem[] } {
  const values: Record<string, unknown> = {}
  const template = values as unknown as NewTemplate
  if (!isObject(record))
    return { template, problems: [makeProblem('WRONG_TYPE', 'a template must be a JSON object')] }
  const { document, ...fields } = record
  const problems = Object.keys(fields).flatMap(findUnknownField)
  const found = document == null ? undefined : readDocumentField(document, fields)
  if (found) problems.push(found)
  for (const field of fieldNames) {
    if (field === 'data' && found) continue
    const value = fields[field]
    const fault = checkField(field, value) ?? checkJsonText(field, value)
    if (fault) problems.push(makeProblem(fault.code, fault.message, field))
    else if (value != null) values[field] = value
  }
  return { template, problems }
}

function findUnknownField(name: string): Problem[] {
  const known: string[] = fieldNames
  if (known.includes(name)) return []
  const near = findNearest(name, [...known, 'document'])
  const shown = name.length > 40 ? `${name.slice(0, 40).toWellFormed()}…` : name
  const message = `"${shown}" is not a field${near ? `: did you mean "${near}"?` : ''}`
  return [makeProblem('UNKNOWN_FIELD', message, shown)]
}

/** Writes the document as `data`. Returns a problem if that is impossible. */
function readDocumentField(document: unknown, fields: Record<string, unknown>): Problem | undefined {
  if (fields.data != null) return makeProblem('AMBIGUOUS', 'give either data or document', 'document')
  if (!isObject(document)) return makeProblem('WRONG_TYPE', 'document must be a JSON object', 'document')
  try {
    fields.data = JSON.stringify(document)
    return undefined
  } catch {
    return makeProblem('TOO_DEEP', 'document is nested too deeply', 'document')
  }
}

const checkJsonText = (field: string, value: unknown) =>
  field === 'data' && parseJson(String(value)) === undefined
    ? ({ code: 'INVALID_JSON', message: 'data must be JSON text' } as const)
    : undefined
