/** Characters, as people count them. */
const minLength = 12

/** Guesses that an attacker needs: 10^8 of zxcvbn's, its "safely unguessable" score of 3 and more. */
const minScore = 3

/**
 * Says what is wrong with a new password: too short, or easy to guess, since it is common, regular, or made of `words`, such
 * as the user's name. Undefined if nothing is.
 */
export async function findWeakness(password: string, words: string[]): Promise<string | undefined> {
  const text = password.normalize('NFC')
  if ([...text].length < minLength) return `a password must have at least ${minLength} characters`
  // The dictionary takes 200 ms to load.
  const { ZxcvbnFactory } = await import('@zxcvbn-ts/core')
  const { adjacencyGraphs: graphs, dictionary } = await import('@zxcvbn-ts/language-common')
  const { score } = new ZxcvbnFactory({ dictionary, graphs }).check(text, words)
  if (score >= minScore) return undefined
  return 'the password is easy to guess: it is a common one or follows a pattern. Several unrelated words are better'
}
