import type { TemplateValues } from '../../domain/columns.ts'
import { readPointer } from '../../domain/validation/problem.ts'
import { parseObject } from '../../runtime/json-values.ts'
import { fieldOf, type Problem } from './problem.ts'

/** Keeps the problems of fields that have not changed. */
export function withoutChanged(problems: Problem[], from: TemplateValues, to: TemplateValues): Problem[] {
  if (problems.length === 0) return problems
  const [old, now] = [readFields(from), readFields(to)]
  return problems.filter(problem => old(fieldOf(problem)) === now(fieldOf(problem)))
}

/** Returns a function that returns the value of a field as JSON. */
function readFields(contents: TemplateValues): (field: string) => string | undefined {
  const document = parseObject(contents.data)
  return field =>
    JSON.stringify(field.startsWith('/') ? valueAt(document, field) : contents[field as keyof TemplateValues])
}

/** Returns the value at a JSON Pointer (RFC 6901). */
export const valueAt = (document: unknown, pointer: string): unknown =>
  readPointer(pointer).reduce(
    (value, step) => (value as Record<string, unknown> | undefined)?.[step],
    document
  )
