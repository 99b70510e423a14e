import leven from 'leven'
import { StartError } from '../errors.ts'
import { findNearest } from './nearest.ts'
import type { Setting, Values } from './setting.ts'

/** Names of the options in error messages: the option itself or where its value comes from. */
export type OptionNames = { [option: string]: string }

/** Everything that is wrong with the settings. */
export class SettingsError extends StartError {
  readonly problems: string[]

  constructor(problems: string[]) {
    super('PTS_BAD_OPTION', problems.join('; '))
    this.problems = problems
  }
}

/** Returns the values with the defaults, frozen. Throws a SettingsError that reports all problems at once. */
export function checkSettings<S extends Record<string, Setting>>(
  settings: S,
  given: Readonly<Record<string, unknown>>,
  names: OptionNames,
  problems: string[]
): Values<S> {
  const values = { ...given }
  const wrong: string[] = []
  for (const [option, setting] of Object.entries(settings)) {
    if (values[option] === undefined && 'default' in setting) values[option] = setting.default
    const value = values[option]
    if (value === undefined || setting.isValid(value)) continue
    const got = setting.secret ? '' : `, not ${JSON.stringify(value)}`
    wrong.push(`${names[option] ?? option} must be ${setting.expected}${got}`)
  }
  const all = [...problems, ...wrong]
  if (all.length > 0) throw new SettingsError(all)
  return Object.freeze(values) as Values<S>
}

/** Returns a problem for each unknown name, with the closest known one. */
export function findUnknownNames(given: string[], known: string[]): string[] {
  return given
    .filter(name => !known.includes(name))
    .map(name => {
      const near = findNearest(name, known)
      return `${name} is not a setting${near ? `: did you mean ${near}?` : ''}`
    })
}

/**
 * Whether a name is `known` with one letter missing, one extra, or two swapped. A replaced letter does not count:
 * DATABASE_URI belongs to some other program.
 */
export function isTypo(name: string, known: string): boolean {
  // Each variable of the environment is compared with each setting; most differ in length.
  if (Math.abs(name.length - known.length) > 1) return false
  const edits = leven(name, known)
  if (name.length !== known.length) return edits === 1
  return edits === 2 && [...name].sort().join() === [...known].sort().join()
}
