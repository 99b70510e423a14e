import { findNearest } from '../../../options/nearest.ts'
import { isTimestamp } from '../../timestamp.ts'
import { allFields, maxInt, minInt, type ProductTemplate } from '../table/product-templates.ts'
import { makeProblem } from '../validation/problem.ts'
import type { Problem as TemplateProblem } from '../validation/validate.ts'

/** What is wrong with a record, beyond what can be wrong with a template. */
export const importProblemCodes = {
  UNREADABLE: 'the record cannot be read',
  UNKNOWN_FIELD: 'the record has a field that templates do not have',
  AMBIGUOUS: 'both `data` and `document` are given',
  ID_TAKEN: 'a template has this id',
  DUPLICATE_ID: 'another record of the import has this id',
  NO_FREE_ID: 'no id is free'
} as const

export interface Problem extends Omit<TemplateProblem, 'code'> {
  code: TemplateProblem['code'] | keyof typeof importProblemCodes
}

/** A template to import. Without an id it gets the next free one; without a time, the current time. */
export type NewTemplate = Omit<ProductTemplate, 'id' | 'timeCreated' | 'timeModified'> &
  Partial<Pick<ProductTemplate, 'id' | 'timeCreated' | 'timeModified'>>

const optional = new Set(['id', 'timeCreated', 'timeModified'])
const integers: Record<string, [least: number, most: number]> = {
  id: [0, maxInt],
  blockchainId: [minInt, maxInt],
  maxItems: [1, maxInt]
}

/**
 * Makes a template of a record with the nine fields, named as in GraphQL. Instead of `data` it may have `document`, an
 * object. Also returns every problem; the template lacks the fields that have one.
 */
export function readRecord(record: unknown): { template: NewTemplate; problems: Problem[] } {
  if (typeof record !== 'object' || record === null || Array.isArray(record))
    return {
      template: {} as NewTemplate,
      problems: [makeProblem('WRONG_TYPE', 'a template must be a JSON object')]
    }
  const { document, ...fields } = record as Record<string, unknown>
  const problems = Object.keys(fields).flatMap(findUnknownField)
  if (document !== undefined && document !== null) problems.push(...readDocumentField(document, fields))
  const values: Record<string, unknown> = {}
  for (const field of allFields) {
    const value = fields[field]
    if ((value ?? undefined) === undefined) {
      if (
        !optional.has(field) &&
        !problems.some(({ path: [name] }) => name === 'document' && field === 'data')
      )
        problems.push(makeProblem('REQUIRED', `${field} is missing`, field))
      continue
    }
    const found = checkField(field, value)
    if (found) problems.push(makeProblem(found.code, `${field} ${found.message}`, field))
    else values[field] = value
  }
  return { template: values as unknown as NewTemplate, problems }
}

function findUnknownField(name: string): Problem[] {
  if (allFields.has(name as keyof ProductTemplate)) return []
  const near = findNearest(name, [...allFields, 'document'])
  const shown = name.length > 40 ? `${name.slice(0, 40).toWellFormed()}…` : name
  const message = `"${shown}" is not a field${near ? `: did you mean "${near}"?` : ''}`
  return [makeProblem('UNKNOWN_FIELD', message, shown)]
}

/** Writes the document as `data`; returns the problem if it cannot. */
function readDocumentField(document: unknown, fields: Record<string, unknown>): Problem[] {
  if ((fields.data ?? undefined) !== undefined)
    return [makeProblem('AMBIGUOUS', 'give either data or document', 'document')]
  if (typeof document !== 'object' || Array.isArray(document))
    return [makeProblem('WRONG_TYPE', 'document must be a JSON object', 'document')]
  try {
    fields.data = JSON.stringify(document)
    return []
  } catch {
    return [makeProblem('TOO_DEEP', 'document is nested too deeply', 'document')]
  }
}

/** Returns what is wrong with the value of a field: why no database could store it. */
function checkField(field: string, value: unknown): Pick<Problem, 'code' | 'message'> | undefined {
  const range = integers[field]
  if (range) {
    const [least, most] = range
    const message = `must be an integer from ${least} to ${most}`
    if (!Number.isInteger(value)) return { code: 'WRONG_TYPE', message }
    const fits = (value as number) >= least && (value as number) <= most
    return fits ? undefined : { code: 'OUT_OF_RANGE', message }
  }
  if (field === 'publicProduct')
    return typeof value === 'boolean' ? undefined : { code: 'WRONG_TYPE', message: 'must be true or false' }
  if (typeof value !== 'string') return { code: 'WRONG_TYPE', message: 'must be a string' }
  if (field.startsWith('time'))
    return isTimestamp(value) ? undefined : { code: 'INVALID_TEXT', message: `must be ${timeForm}` }
  // U+0000 and half of a surrogate pair cannot be stored by every engine.
  if (value.includes('\0') || !value.isWellFormed())
    return { code: 'INVALID_TEXT', message: 'must not contain U+0000 or lone surrogates' }
  return field === 'data' && !isJson(value)
    ? { code: 'INVALID_JSON', message: 'must be JSON text' }
    : undefined
}

const timeForm = 'a UTC time such as 2026-01-31T09:30:00.000000Z'

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
