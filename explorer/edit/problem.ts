import { columns, type FieldName, type TemplateValues } from '../../domain/columns.ts'
import { readPointer, type Problem as TemplateProblem } from '../../domain/validation/problem.ts'
import { parseObject } from '../../runtime/json-values.ts'
import { humanName } from '../format.ts'

/**
 * A problem of a template. The message of the page's own checks is the end of a sentence about the place, which the form
 * shows at the field.
 */
export interface Problem extends Omit<TemplateProblem, 'code'> {
  code: string
  /** Whether the message is a sentence of the service, which names the place itself. */
  isSentence?: true
}

/** What to say about a save that the service may have executed. */
export const noAnswer = 'The service did not answer. What you typed is kept: save again.'

/**
 * Returns the form field of a problem: a column, a JSON Pointer into the document, or `data` for the whole document.
 */
export function fieldOf({ path, pointer }: Problem): string {
  if (pointer === null) return path.at(-1) ?? 'data'
  if (pointer === '') return 'data'
  const [, entry, part = 'trait_type'] = pointer.match(/^(\/attributes\/\d+)(?:\/([^/]+).*)?$/s) ?? []
  return entry === undefined ? pointer : `${entry}/${part}`
}

/** Returns the problem as a sentence that names the place as the form does, such as `Trait 3 needs a name`. */
export function toSentence(problem: Problem): string {
  const { code, isSentence, message } = problem
  // The service names the place of a repeated key only by the pointer.
  if (code === 'DUPLICATE_KEY') return upperFirst(`${placeInWords(problem)}: ${message}`)
  return upperFirst(isSentence ? message : `${placeInWords(problem)} ${message}`.trim())
}

function placeInWords({ code, path, pointer }: Problem): string {
  // The message says where the text has a mistake.
  if (code === 'INVALID_JSON') return ''
  const column = path.at(-1) ?? ''
  if (pointer === null) return columns[column as FieldName]?.label ?? ''
  const [, index, part = '', element] = pointer.match(/^\/attributes\/(\d+)(?:\/([^/]+)(?:\/(\d+))?)?/) ?? []
  if (index === undefined)
    return pointer === ''
      ? 'the document'
      : pointer === '/attributes'
        ? 'the list of traits'
        : nameKey(pointer)
  const trait = `trait ${Number(index) + 1}`
  if (part === '') return trait
  if (part === 'trait_type') return `the name of ${trait}`
  return element === undefined ? `the ${part} of ${trait}` : `entry ${Number(element) + 1} of ${trait}`
}

const nameKey = (pointer: string): string => humanName(readPointer(pointer)[0] ?? '')

export const upperFirst = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** Keeps the problems of fields that have not changed. */
export function withoutChanged(problems: Problem[], from: TemplateValues, to: TemplateValues): Problem[] {
  if (problems.length === 0) return problems
  const [old, now] = [readFields(from), readFields(to)]
  return problems.filter(problem => old(fieldOf(problem)) === now(fieldOf(problem)))
}

/** Makes the function that reads the value of a field as JSON. */
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
