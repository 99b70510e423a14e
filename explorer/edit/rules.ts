import type { Rule } from '../../db/templates/validation/wording.ts'

/** What people call the types of JSON. */
export const types: Record<string, string> = {
  string: 'text',
  integer: 'a whole number',
  boolean: 'yes or no',
  array: 'a list',
  object: 'an object'
}

/** Finds the node that has a keyword. `location`: where the validator found it, through references: `#/$ref/properties/name/type`. */
export function findRule(schema: Rule, location: string): Rule {
  let node = schema
  for (const step of location.split('/').slice(1, -1)) {
    const next = node[step]
    node = (step === '$ref' ? schema.$defs?.[String(next).replace('#/$defs/', '') as never] : next) as Rule
  }
  return node
}
