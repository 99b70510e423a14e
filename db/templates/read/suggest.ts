import { engineOf } from '../../dialects/engine.ts'
import type { Db } from '../../schema.ts'
import { searchTerms } from '../filter/keys.ts'

/** Maximum number of words in a search that gets a suggestion. */
const maxWords = 5
/** Letters of a word that may have an error; a shorter word has too many neighbours. */
const [leastLetters, mostLetters] = [3, 25]

/**
 * Corrects the words of a search that no word of a template begins with. A corrected word has one letter more, fewer or
 * different, or two adjacent letters exchanged. Resolves with undefined if all words are right, or if one cannot be
 * corrected. With `isVisible`, only words for which it resolves with true count.
 */
export async function suggestSearch(
  db: Db,
  text: string,
  isVisible: (word: string) => Promise<boolean> = async () => true
): Promise<string | undefined> {
  const words = searchTerms(text)
  if (words.length > maxWords) return undefined
  const findExisting = async (candidates: string[]) => {
    const { rows } = await engineOf(db).search.selectExisting(candidates).execute(db)
    const existing = new Set(rows.map(({ word }) => word))
    return candidates.filter(word => existing.has(word))
  }
  const findFirst = async (candidates: string[]) => {
    for (const word of await findExisting(candidates)) if (await isVisible(word)) return word
    return undefined
  }
  const suggested: string[] = []
  for (const word of words) {
    const best = (await findFirst([word])) ?? (await findFirst(neighbours(word)))
    if (best === undefined) return undefined
    suggested.push(best)
  }
  if (suggested.every((word, index) => word === words[index])) return undefined
  // Terms are decomposed.
  return suggested.join(' ').normalize('NFC')
}

const alphabet = [...'0123456789abcdefghijklmnopqrstuvwxyz']

/** Returns the number of words that the index is asked for to correct a search, at most. */
export function countNeighbours(text: string): number {
  const lengths = searchTerms(text).map(word => Math.min([...word].length, mostLetters))
  // Each word may have a letter that is exchanged, missing, wrong or superfluous. The alphabet includes its own
  // letters.
  const counts = lengths.map(length => (2 * length + 1) * (alphabet.length + length) + 2 * length)
  return counts.slice(0, maxWords).reduce((sum, count) => sum + count, 0)
}

/**
 * Returns the words that a word with one error may stand for, the likeliest errors first: exchanged letters, a missing
 * letter, a wrong letter, a superfluous letter.
 */
function neighbours(word: string): string[] {
  const letters = [...word]
  if (letters.length < leastLetters || letters.length > mostLetters) return []
  const others = [...new Set([...alphabet, ...letters])]
  const replaced = (at: number, count: number, by: string) => letters.toSpliced(at, count, by).join('')
  const positions = letters.map((_, at) => at)
  const kinds = [
    positions.slice(1).map(at => replaced(at - 1, 2, `${letters[at]}${letters[at - 1]}`)),
    [...positions, letters.length].flatMap(at => others.map(other => replaced(at, 0, other))),
    positions.flatMap(at => others.map(other => replaced(at, 1, other))),
    positions.map(at => replaced(at, 1, ''))
  ]
  return [...new Set(kinds.flatMap(words => words.sort()))]
}
