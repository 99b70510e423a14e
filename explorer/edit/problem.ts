import { columns, type FieldName } from '../../domain/columns.ts'
import {
  describePlace,
  readPointer,
  type Problem as TemplateProblem
} from '../../domain/validation/problem.ts'
import { humanName } from '../format.ts'
import { toPlainWords, upperFirst } from './plain-words.ts'

/** A problem of a template, from the service or from the checks of the form. */
export type Problem = Omit<TemplateProblem, 'code'> & { code: string }

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
