import type { TemplateValues } from '../../db/templates/table/columns.ts'
import { listParts } from './parts.ts'

/** A field, a key of the document or a trait that differs. Undefined where it is missing. */
export interface FieldChange {
  label: string
  from: string | undefined
  to: string | undefined
}

/** Lists what differs between two contents. */
export function compareFields(before: TemplateValues, after: TemplateValues): FieldChange[] {
  const [old, now] = [listParts(before), listParts(after)]
  return [...new Set([...old.keys(), ...now.keys()])]
    .map(label => ({ label, from: old.get(label)?.text, to: now.get(label)?.text }))
    .filter(({ from, to }) => from !== to)
}
