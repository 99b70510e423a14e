import leven from 'leven'

/** Finds the closest known name, at most two edits away, for "did you mean". */
export function findNearest(name: string, known: string[]): string | undefined {
  const ranked = known.map(candidate => ({ candidate, edits: leven(name, candidate) }))
  return ranked.sort((a, b) => a.edits - b.edits).find(({ edits }) => edits <= 2)?.candidate
}
