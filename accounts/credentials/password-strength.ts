import type { InvitedUser } from '../user-input.ts'
import { maxPasswordBytes } from './secrets.ts'

/** Minimum number of characters (code points). */
const minCodePoints = 12

/** Minimum score of zxcvbn. 3 is "safely unguessable": an attacker needs 10^8 guesses. */
const minScore = 3

/** Characters that zxcvbn looks at. Its time grows faster than the length: 64 take up to 80 ms, 256 up to 2 seconds. */
const maxLength = 64

/** Describes why a password is too weak for a user; undefined if it is not. Attackers guess the user's names first. */
export async function findWeakness(
  password: string,
  { email, firstName = '', lastName = '' }: Pick<InvitedUser, 'email' | 'firstName' | 'lastName'>
): Promise<string | undefined> {
  const isLong = (text: string) => Buffer.byteLength(text) > maxPasswordBytes
  // The length is checked before normalization, which takes quadratic time, and after it, because it may grow.
  const text = isLong(password) ? password : password.normalize('NFC')
  if (isLong(text)) return `a password must have 1 to ${maxPasswordBytes} bytes`
  if ([...text].length < minCodePoints) return `a password must have at least ${minCodePoints} characters`
  checker ??= loadChecker()
  const { score } = (await checker).check(text, [email, firstName, lastName].filter(Boolean))
  if (score >= minScore) return undefined
  return 'the password is easy to guess: it is common or follows a pattern. Several unrelated words are better'
}

let checker: ReturnType<typeof loadChecker> | undefined

/** Loads the dictionary, which takes 200 ms. */
async function loadChecker() {
  const { ZxcvbnFactory } = await import('@zxcvbn-ts/core')
  const { adjacencyGraphs: graphs, dictionary } = await import('@zxcvbn-ts/language-common')
  return new ZxcvbnFactory({ dictionary, graphs, maxLength })
}
