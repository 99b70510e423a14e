import type { TemplateValues } from '../../domain/columns.ts'
import { listParts } from './parts.ts'

/** A difference of a field, a key of the document or a trait. A missing value is undefined. */
interface FieldChange {
  label: string
  from: string | undefined
  to: string | undefined
}

/** Lists the differences between two contents. */
export function compareFields(before: TemplateValues, after: TemplateValues): FieldChange[] {
  const [old, now] = [listParts(before), listParts(after)]
  return [...new Set([...old.keys(), ...now.keys()])]
    .map(label => ({ label, from: old.get(label)?.text, to: now.get(label)?.text }))
    .filter(({ from, to }) => from !== to)
}
