import { maxPasswordBytes } from './secrets.ts'

/** Minimum number of characters (code points). */
const minCodePoints = 12

/** Minimum score of zxcvbn. 3 is "safely unguessable": an attacker needs 10^8 guesses. */
const minScore = 3

/**
 * Describes why a new password is too weak; undefined if it is strong enough. `words` are guessed first, such as the
 * name of the user.
 */
export async function findWeakness(password: string, words: string[]): Promise<string | undefined> {
  const isLong = (text: string) => Buffer.byteLength(text) > maxPasswordBytes
  // Checked before normalization, which takes quadratic time, and afterwards, because it may lengthen the password.
  const text = isLong(password) ? password : password.normalize('NFC')
  if (isLong(text)) return `a password must have 1 to ${maxPasswordBytes} bytes`
  if ([...text].length < minCodePoints) return `a password must have at least ${minCodePoints} characters`
  // The dictionary takes 200 ms to load.
  const { ZxcvbnFactory } = await import('@zxcvbn-ts/core')
  const { adjacencyGraphs: graphs, dictionary } = await import('@zxcvbn-ts/language-common')
  const guessed = words.filter(word => word !== '')
  const { score } = new ZxcvbnFactory({ dictionary, graphs }).check(text, guessed)
  if (score >= minScore) return undefined
  return 'the password is easy to guess: it is a common one or follows a pattern. Several unrelated words are better'
}
