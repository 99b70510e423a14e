import { text } from 'node:stream/consumers'
import { isCancel, password } from '@clack/prompts'
import { CommandError, UsageError } from '../terminal/command.ts'

/** Characters, as people count them. */
const minLength = 12

/** Guesses that an attacker needs: 10^8 of zxcvbn's, its "safely unguessable" score of 3 and more. */
const minScore = 3

/** Reads a new password for a user. Throws UsageError if it is weak; `words` are those that a guess would begin with. */
export async function readNewPassword(words: string[]): Promise<string> {
  const { longestPassword } = await import('../../credentials/secrets.ts')
  const password = await readPassword()
  // A longer one is refused anyway, and takes long to look at.
  if (Buffer.byteLength(password) > longestPassword) return password
  const text = password.normalize('NFC')
  if ([...text].length < minLength)
    throw new UsageError(`a password must have at least ${minLength} characters`)
  // The dictionary takes 200 ms to load.
  const { ZxcvbnFactory } = await import('@zxcvbn-ts/core')
  const { adjacencyGraphs: graphs, dictionary } = await import('@zxcvbn-ts/language-common')
  const guessed = words.filter(word => word !== '')
  const { score } = new ZxcvbnFactory({ dictionary, graphs }).check(text, guessed)
  if (score < minScore)
    throw new UsageError(
      'the password is easy to guess: it is a common one or follows a pattern. Several unrelated words are better'
    )
  return password
}

/**
 * Reads a password: typed twice without echo on a terminal, or from a pipe. Never from an argument, which other users of
 * the machine can read.
 */
async function readPassword(): Promise<string> {
  const given = process.stdin.isTTY ? await promptTwice() : (await text(process.stdin)).replace(/\r?\n$/, '')
  if (given === '') throw new UsageError('password is empty: type it or pipe it in')
  return given
}

async function promptTwice(): Promise<string> {
  const first = await prompt('New password')
  if (first !== (await prompt('Repeat the password')))
    throw new CommandError('the two do not match; nothing was changed')
  return first
}

async function prompt(message: string): Promise<string> {
  const answer = await password({ message, output: process.stderr })
  if (isCancel(answer)) throw new CommandError('cancelled; nothing was changed')
  return answer ?? ''
}
