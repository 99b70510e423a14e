import { StartError } from '../errors.ts'
import type { Rule, Values } from './setting.ts'

/** All problems of the settings. */
export class SettingsError extends StartError {
  readonly problems: string[]

  constructor(problems: string[]) {
    super('PTS_BAD_OPTION', problems.join('; '))
    this.problems = problems
  }
}

/**
 * Returns the values with the defaults, frozen. Throws a SettingsError that reports all problems at once: first `problems`,
 * then the wrong values. `names` tells where the value of an option comes from, for the messages.
 */
export function checkSettings<Rules extends Record<string, Rule>>(
  rules: Rules,
  given: Readonly<Record<string, unknown>>,
  { names = {}, problems = [] }: { names?: Record<string, string>; problems?: string[] }
): Values<Rules> {
  const values = { ...given }
  const wrong: string[] = []
  for (const [option, rule] of Object.entries(rules)) {
    if (values[option] === undefined && 'default' in rule) values[option] = rule.default
    const value = values[option]
    if (value === undefined || rule.isValid(value)) continue
    const got = rule.secret ? '' : `, not ${JSON.stringify(value)}`
    wrong.push(`${names[option] ?? option} must be ${rule.expected}${got}`)
  }
  const all = [...problems, ...wrong]
  if (all.length > 0) throw new SettingsError(all)
  return Object.freeze(values) as Values<Rules>
}
