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
  const lower = text.toLowerCase()
  // Most texts have nothing to take apart.
  return /^[\0-\x7f]*$/.test(lower)
    ? lower
    : lower
        .normalize('NFKD')
        .toLowerCase()
        .replace(/\p{M}+/gu, '')
}

/** Texts that differ only in case are one. */
export const folded = (text: string): string => text.normalize('NFC').toLowerCase()
