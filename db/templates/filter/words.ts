/** Runs of scripts that are written without spaces between words, or next to Latin letters. */
const unspaced =
  /[\p{scx=Hani}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]+/gu

/** The language is fixed, because the default depends on the machine. All languages have the same dictionaries. */
const segmenter = new Intl.Segmenter('en', { granularity: 'word' })

/** Composes letters: NFKC decomposes the vowel am of Thai and Lao, which the dictionaries then do not know. */
const composed = (text: string): string =>
  text.normalize('NFKC').replaceAll('\u0e4d\u0e32', '\u0e33').replaceAll('\u0ecd\u0eb2', '\u0eb3')

/** Puts spaces around the words of scripts that are written without them. The dictionaries are those of ICU. */
export function separateWords(text: string): string {
  const runs = [...new Set(text.match(unspaced))]
  if (runs.length === 0) return text
  let words = ''
  // Splits all different runs in one call, because a call takes longer than a short run.
  for (const { segment } of segmenter.segment(composed(runs.join('\n'))))
    words += segment === '\n' ? segment : ` ${segment} `
  const separated = words.split('\n')
  const byRun = new Map(runs.map((run, index) => [run, separated[index] as string]))
  return text.replace(unspaced, run => byRun.get(run) as string)
}

/**
 * Returns the ends of a Korean word from each later syllable on. ICU does not split words such as 나무의자, so a search
 * inside them needs these. In a term, a syllable is decomposed: it begins with a leading consonant.
 */
export const laterSyllables = (term: string): string[] =>
  Array.from(term.matchAll(/(?<=.)[\u1100-\u115f]/gu), ({ index }) => term.slice(index))
