/** Finds similar names, for "did you mean". */
import leven from 'leven'

/** Finds the closest known name, at most two edits away. */
export function findNearest(name: string, known: string[]): string | undefined {
  const ranked = known.map(candidate => ({ candidate, edits: leven(name, candidate) }))
  return ranked.sort((a, b) => a.edits - b.edits).find(({ edits }) => edits <= 2)?.candidate
}

/** Returns a problem for each unknown setting, with the closest known one. */
export const findUnknownNames = (given: string[], known: string[]): string[] =>
  given
    .filter(name => !known.includes(name))
    .map(name => {
      const near = findNearest(name, known)
      return `${name} is not a setting${near ? `: did you mean ${near}?` : ''}`
    })

/**
 * Whether a name is `known` with one letter missing, one letter added, or two letters swapped. A replaced letter does
 * not count, because DATABASE_URI may belong to another program.
 */
export function isTypo(name: string, known: string): boolean {
  // A quick check first, because each variable of the environment is compared with each setting.
  if (Math.abs(name.length - known.length) > 1) return false
  const edits = leven(name, known)
  if (name.length !== known.length) return edits === 1
  return edits === 2 && [...name].sort().join() === [...known].sort().join()
}
