import { columns, type FieldName, type TemplateValues } from '../../domain/columns.ts'
import {
  describePlace,
  readPointer,
  type Problem as TemplateProblem
} from '../../domain/validation/problem.ts'
import { parseObject } from '../../runtime/json-values.ts'
import { humanName } from '../format.ts'

/** A problem of a template, from the service or from the checks of the form. */
export type Problem = Omit<TemplateProblem, 'code'> & { code: string }

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

/**
 * Removes the place from a message, because the form shows it at the field: `maxItems must be …` becomes `must be …`.
 */
export function shortMessage(problem: Problem): string {
  const { pointer, path } = problem
  const place = pointer === null ? (path.at(-1) ?? '') : describePlace(pointer)
  const message = toPlainWords(problem.message)
  const short =
    place !== 'data' && message.startsWith(`${place} `) ? message.slice(place.length + 1) : message
  return isNameMissing(pointer, short) ? 'needs a name' : short
}

const isNameMissing = (pointer: string | null, message: string): boolean =>
  /^\/attributes\/\d+(\/trait_type)?$/.test(pointer ?? '') &&
  /^(must not be empty|has no trait_type)$/.test(message)

/** Returns the message as a sentence that names the place as the form does, such as `Trait 3 needs a name`. */
export function toSentence(problem: Problem): string {
  const short = shortMessage(problem)
  // The message already says where the text has a mistake.
  const place = problem.code === 'INVALID_JSON' ? '' : placeInWords(problem, short === 'needs a name')
  return upperFirst(`${place} ${short.replace(/^the document /, '')}`.trim())
}

function placeInWords({ path, pointer }: Problem, isWholeTrait: boolean): string {
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
  if (isWholeTrait || part === '') return trait
  if (part === 'trait_type') return `the name of ${trait}`
  return element === undefined ? `the ${part} of ${trait}` : `entry ${Number(element) + 1} of ${trait}`
}

const nameKey = (pointer: string): string => humanName(readPointer(pointer)[0] ?? '')

/** Terms of the JSON Schema, and what the form shows instead. */
const replacements: [technical: RegExp, plain: string][] = [
  [/an absolute URL without spaces, a link that begins with \{ipfs_url\}\/,/gi, 'a link without spaces'],
  [/an integer, a string of digits or an empty string/gi, 'a number or nothing'],
  [/an absolute URL without spaces/gi, 'a link without spaces'],
  [/an integer/gi, 'a whole number'],
  [/an empty string/gi, 'nothing'],
  [/a list of strings/gi, 'a list of texts'],
  [/must be a string/gi, 'must be text'],
  [/true or false/gi, 'yes or no'],
  [/^data(?= is not valid JSON)/i, 'the text']
]

/** Rewrites a text of the JSON Schema in plain words. */
export const toPlainWords = (text: string): string =>
  replacements.reduce(
    (result, [technical, plain]) =>
      result.replace(technical, found => (found.startsWith('A') ? upperFirst(plain) : plain)),
    text
  )

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
