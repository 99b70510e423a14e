import { describePlace, type Problem as TemplateProblem } from '../../domain/validation/problem.ts'
import { toPlainWords } from './plain-words.ts'

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
  const place = problem.pointer === null ? (problem.path.at(-1) ?? '') : describePlace(problem.pointer)
  const message = toPlainWords(problem.message)
  return place !== 'data' && message.startsWith(`${place} `) ? message.slice(place.length + 1) : message
}
