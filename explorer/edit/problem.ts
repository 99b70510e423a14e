import { describePlace } from '../../db/templates/validation/wording.ts'
import { toPlainWords } from './plain-words.ts'

/** Something wrong with a template, as the service reports it or the form finds it while one types. */
export interface Problem {
  code: string
  message: string
  path: string[]
  /** RFC 6901, into the document. */
  pointer: string | null
}

/**
 * The field of the form that a problem is shown at: the name of a column, a JSON Pointer into the document, or `data` for
 * the document as a whole.
 */
export function fieldOf({ path, pointer }: Problem): string {
  if (pointer === null) return path.at(-1) ?? 'data'
  if (pointer === '') return 'data'
  const [, entry, part = 'trait_type'] = pointer.match(/^(\/attributes\/\d+)(?:\/([^/]+).*)?$/s) ?? []
  return entry === undefined ? pointer : `${entry}/${part}`
}

/** The message without the place, which the field says already: `maxItems must be …` is `must be …`. */
export function shortMessage(problem: Problem): string {
  const place = problem.pointer === null ? (problem.path.at(-1) ?? '') : describePlace(problem.pointer)
  const message = toPlainWords(problem.message)
  return place !== 'data' && message.startsWith(`${place} `) ? message.slice(place.length + 1) : message
}
