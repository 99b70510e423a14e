import { longestPassword } from './secrets.ts'

/** Characters, as people count them. */
const minLength = 12

/** Guesses that an attacker needs: 10^8 of zxcvbn's, its "safely unguessable" score of 3 and more. */
const minScore = 3

/**
 * Says what is wrong with a new password; undefined if it is strong enough. `words` are those that a guess would begin with,
 * such as the name of the user.
 */
export async function findWeakness(password: string, words: string[]): Promise<string | undefined> {
  const isLong = (text: string) => Buffer.byteLength(text) > longestPassword
  // Checked before normalisation, which takes quadratic time and may make it longer.
  const text = isLong(password) ? password : password.normalize('NFC')
  if (isLong(text)) return `a password must have 1 to ${longestPassword} bytes`
  if ([...text].length < minLength) return `a password must have at least ${minLength} characters`
  // The dictionary takes 200 ms to load.
  const { ZxcvbnFactory } = await import('@zxcvbn-ts/core')
  const { adjacencyGraphs: graphs, dictionary } = await import('@zxcvbn-ts/language-common')
  const guessed = words.filter(word => word !== '')
  const { score } = new ZxcvbnFactory({ dictionary, graphs }).check(text, guessed)
  if (score >= minScore) return undefined
  return 'the password is easy to guess: it is a common one or follows a pattern. Several unrelated words are better'
}
