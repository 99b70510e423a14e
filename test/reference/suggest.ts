import { byCodePoints } from './facets.ts'

/** What `searchSuggestion` means: over all beginnings of the words of the templates. */
export function suggestSearch(words: string[], asked: string[]): string | null {
  const beginnings = new Set(
    words.flatMap(word => Array.from({ length: word.length }, (_, at) => word.slice(0, at + 1)))
  )
  const known = (word: string) => beginnings.has(word)
  if (asked.length > 5 || asked.every(known)) return null
  const found = asked.map(word => (known(word) ? word : findNear([...beginnings], word)))
  return found.includes(undefined) ? null : found.join(' ')
}

const findNear = (beginnings: string[], word: string): string | undefined =>
  word.length < 3 || word.length > 25
    ? undefined
    : beginnings
        .map(near => ({ near, kind: kindOf(word, near) }))
        .filter(({ kind }) => kind < 4)
        .sort((one, other) => one.kind - other.kind || byCodePoints(one.near, other.near))[0]?.near

/** Which error makes `word` of `near`; 4: none. */
function kindOf(word: string, near: string): number {
  const start = [...word].findIndex((letter, at) => letter !== near[at])
  const at = start < 0 ? word.length : start
  const [rest, right] = [word.slice(at), near.slice(at)]
  const isLetter = /^[a-z0-9]$/.test(right[0] ?? '') || word.includes(right[0] ?? ' ')
  if (rest.length > 1 && right === `${rest[1]}${rest[0]}${rest.slice(2)}`) return 0
  if (right.slice(1) === rest && right.length > 0 && isLetter) return 1
  if (right.slice(1) === rest.slice(1) && right.length > 0 && rest.length > 0 && isLetter) return 2
  return rest.slice(1) === right && rest.length > 0 ? 3 : 4
}
