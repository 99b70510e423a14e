import { text } from 'node:stream/consumers'
import { isCancel, password } from '@clack/prompts'
import { CommandError, UsageError } from './command.ts'

/**
 * Reads a secret: typed twice without echo on a terminal, or from a pipe. Never from an argument, which other users of
 * the machine can read.
 */
export async function readSecret(what: string): Promise<string> {
  const secret = process.stdin.isTTY
    ? await promptTwice(what)
    : (await text(process.stdin)).replace(/\r?\n$/, '')
  if (secret === '') throw new UsageError(`${what} is empty: type it or pipe it in`)
  return secret
}

async function promptTwice(what: string): Promise<string> {
  const first = await prompt(`New ${what}`)
  const second = await prompt(`Repeat the ${what}`)
  if (first !== second) throw new CommandError('the two do not match; nothing was changed')
  return first
}

async function prompt(message: string): Promise<string> {
  const answer = await password({ message, output: process.stderr })
  if (isCancel(answer)) throw new CommandError('cancelled; nothing was changed')
  return answer ?? ''
}
