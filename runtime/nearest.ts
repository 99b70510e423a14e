/** Finds similar names, for "did you mean". */
import leven from 'leven'

/** Finds the closest of some names, at most two edits away. */
export function findNearest(name: string, names: string[]): string | undefined {
  const ranked = names.map(candidate => ({ candidate, edits: leven(name, candidate) }))
  return ranked.sort((a, b) => a.edits - b.edits).find(({ edits }) => edits <= 2)?.candidate
}

/** Returns a problem for each name that is not a setting, with the closest setting. */
export const findUnknownNames = (names: string[], settings: string[]): string[] =>
  names
    .filter(name => !settings.includes(name))
    .map(name => {
      const near = findNearest(name, settings)
      return `${name} is not a setting${near ? `: did you mean ${near}?` : ''}`
    })

/** Maximum length of a short setting, such as PORT. Its misspellings are often variables of other programs. */
const shortLength = 7

/** Variables of other programs that are similar to short settings: words, and the ports of Marathon. */
const otherNames = ['HOSTS', 'HOT', 'ISSUE', 'PORTS']

/**
 * Whether a name is a setting with one letter missing, one letter added, or two neighbours swapped. A replaced letter
 * does not count, because DATABASE_URI may belong to another program, and neither does an added digit or `_`: PORT0.
 * Only a double `_` does: DATABASE__URL.
 */
export function isTypo(name: string, setting: string): boolean {
  // The first letter of a short name is rarely wrong, but LHOST and VHOST are names of other programs.
  const isShort = setting.length <= shortLength
  if (setting.length < 4 || otherNames.includes(name)) return false
  let start = 0
  while (start < setting.length && name[start] === setting[start]) start++
  const [rest, right] = [name.slice(start), setting.slice(start)]
  if (rest.length === right.length)
    return rest.slice(0, 2) === [right[1], right[0]].join('') && rest.slice(2) === right.slice(2)
  if (isShort && start === 0) return false
  const isLetter = /[A-Z]/.test(rest[0] ?? '') || (rest[0] === '_' && setting[start - 1] === '_')
  return rest === right.slice(1) || (rest.slice(1) === right && isLetter)
}
