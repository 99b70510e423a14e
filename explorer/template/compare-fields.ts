import type { TemplateValues } from '../../domain/columns.ts'
import { isCopy, listParts, type Part, showParts } from './parts.ts'

/** A difference of a field, a key of the document or a trait. A missing value is undefined. */
interface FieldChange {
  label: string
  from: string | undefined
  to: string | undefined
}

const emptyTexts: (string | undefined)[] = ['""', 'null', '[]']

/** Lists the differences between two contents, or what the second has if there is no first. */
export function compareFields(
  before: TemplateValues | null | undefined,
  after: TemplateValues
): FieldChange[] {
  const [old, now] = [before ? listParts(before) : new Map<string, Part>(), listParts(after)]
  return [...new Set([...old.keys(), ...now.keys()])]
    .map(label => ({ label, was: old.get(label), is: now.get(label) }))
    .filter(({ label, was, is }) => was?.text !== is?.text && !isCopy(label, old, now))
    .filter(({ is }) => before || !emptyTexts.includes(is?.text))
    .map(({ label, was, is }) => {
      const [from, to] = showParts(was, is)
      return { label, from, to }
    })
}
