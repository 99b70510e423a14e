/** Characters; longer terms are truncated. */
const maxTermLength = 40
/** Distinct terms indexed per template. */
const maxTerms = 5000

/**
 * Splits texts into search terms: words of letters and digits, without case and accents. This is not left to the
 * engines, because their rules differ.
 */
export function searchTerms(...texts: string[]): string[] {
  const text = streamSafe(lowered(texts.join(' ')))
  const plain = lowered(text.normalize('NFKD')).replace(/\p{M}+/gu, '')
  const words = new Set<string>()
  for (const word of plain.match(/[\p{L}\p{N}]+/gu) ?? []) {
    if (words.size === maxTerms) break
    words.add(word.length > maxTermLength ? [...word].slice(0, maxTermLength).join('') : word)
  }
  return [...words]
}

/** Folds case, so that texts that differ only in case are equal. */
export const folded = (text: string): string =>
  lowered(streamSafe(text).normalize('NFC')).replaceAll('i\u0307', 'i')

/** Lower-cases a text; a final sigma becomes an ordinary one, so that parts of a text match. */
const lowered = (text: string): string => text.toLowerCase().replaceAll('ς', 'σ')

/**
 * Converts a text to Stream-Safe Text Format, UAX #15 §13. Normalization takes time quadratic in the length of a run of
 * combining marks; no real text has more than 30 in a run.
 */
const streamSafe = (text: string): string => text.replace(/\p{M}{30}/gu, '$&\u034f')
