/** Characters of a term that count. */
const longestTerm = 40
/** Different terms of one template that are found. */
const mostTerms = 5000

/**
 * The words of a text as they are searched for: letters and digits, without case and accents. Made here and
 * not by the engines, whose own rules differ.
 */
export function searchTerms(...texts: string[]): string[] {
  const words = plain(texts.join(' ')).match(/[\p{L}\p{N}]+/gu) ?? []
  const terms = new Set<string>()
  for (const word of words) {
    if (terms.size === mostTerms) break
    terms.add(word.length > longestTerm ? [...word].slice(0, longestTerm).join('') : word)
  }
  return [...terms]
}

function plain(text: string): string {
  const lower = lowered(text)
  // Most texts have nothing to take apart.
  return /^[\0-\x7f]*$/.test(lower)
    ? lower
    : lowered(streamSafe(lower).normalize('NFKD')).replace(/\p{M}+/gu, '')
}

/** Texts that differ only in case are one. */
export const folded = (text: string): string =>
  lowered(streamSafe(text).normalize('NFC')).replaceAll('i\u0307', 'i')

/** A part of a text as in the whole: the end of a Greek word has a letter of its own, a dotted I two. */
const lowered = (text: string): string => text.toLowerCase().replaceAll('ς', 'σ')

/**
 * The text in Stream-Safe Text Format, UAX #15 §13: normalizing takes time that is quadratic in the combining marks of a
 * run, and nobody needs more than 30 of them.
 */
const streamSafe = (text: string): string => text.replace(/\p{M}{30}/gu, '$&\u034f')
