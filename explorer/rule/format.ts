import { parseObject } from '../../runtime/json-values.ts'

/** Parses a rule. No text means the rule `{}`: all templates. */
export function parseRule(text: string): { where: object } | { problem: string } {
  if (text.trim() === '') return { where: {} }
  const where = parseObject(text)
  if (where) return { where }
  return { problem: 'The rule must be a JSON object, such as {"componentName":{"equals":"TrackingRecord"}}.' }
}

/** Formats a stored rule with indentation. */
export function formatRule(where: string | null): string {
  return where === null ? '' : JSON.stringify(JSON.parse(where), null, 2)
}
