import { engineOf } from '../../dialects/engine.ts'
import type { Db } from '../../schema.ts'
import { searchTerms } from '../filter/keys.ts'
import { type Meter, run } from '../meter.ts'

/** Words of a search that are looked at. */
const maxWords = 5
/** Letters of a word that may have an error; a shorter word has too many neighbours. */
const [leastLetters, mostLetters] = [3, 25]
/** Cost of looking up one word. A long one has 3000 neighbours, which take 100 ms on SQLite. */
const wordCost = 3

/**
 * Suggests a search for one with words that begin no word of a template: each is replaced by one that does, and has one
 * more letter, one fewer or another one, or two adjacent ones in the other order. Resolves with undefined if all words
 * begin one, or if there is no replacement. With `isSeen`, only words count that it resolves for with true.
 */
export async function suggestSearch(
  db: Db,
  text: string,
  meter: Meter,
  isSeen: (word: string) => Promise<boolean> = async () => true
): Promise<string | undefined> {
  const words = searchTerms(text)
  if (words.length > maxWords) return undefined
  const findExisting = async (some: string[]) => {
    const query = engineOf(db).search.selectExisting(some)
    const existing = new Set((await run(db, query, some.length * wordCost, meter)).map(({ word }) => word))
    return some.filter(word => existing.has(word))
  }
  const findFirst = async (some: string[]) => {
    for (const word of await findExisting(some)) if (await isSeen(word)) return word
    return undefined
  }
  const suggested: string[] = []
  for (const word of words) {
    const best = (await findFirst([word])) ?? (await findFirst(neighbours(word)))
    if (best === undefined) return undefined
    suggested.push(best)
  }
  if (suggested.every((word, index) => word === words[index])) return undefined
  return suggested.join(' ')
}

const alphabet = [...'0123456789abcdefghijklmnopqrstuvwxyz']

/**
 * The words that a word with one error may stand for, the likeliest errors first: exchanged letters, a missing letter, a
 * wrong one, one too many.
 */
function neighbours(word: string): string[] {
  const letters = [...word]
  if (letters.length < leastLetters || letters.length > mostLetters) return []
  const others = [...new Set([...alphabet, ...letters])]
  const replaced = (at: number, count: number, by: string) => letters.toSpliced(at, count, by).join('')
  const places = letters.map((_, at) => at)
  const kinds = [
    places.slice(1).map(at => replaced(at - 1, 2, `${letters[at]}${letters[at - 1]}`)),
    [...places, letters.length].flatMap(at => others.map(other => replaced(at, 0, other))),
    places.flatMap(at => others.map(other => replaced(at, 1, other))),
    places.map(at => replaced(at, 1, ''))
  ]
  return [...new Set(kinds.flatMap(words => words.sort()))]
}
