import { text } from 'node:stream/consumers'
import { isCancel, password } from '@clack/prompts'
import { CommandError, UsageError } from './command.ts'

/**
 * A secret that somebody types twice, unseen, or that comes by a pipe: never from an argument, which
 * other users of the machine can read.
 */
export async function readSecret(what: string): Promise<string> {
  const secret = process.stdin.isTTY ? await ask(what) : (await text(process.stdin)).replace(/\r?\n$/, '')
  if (secret === '') throw new UsageError(`${what} is empty: type it, or pipe it in`)
  return secret
}

async function ask(what: string): Promise<string> {
  const first = await askOnce(`New ${what}`)
  const second = await askOnce(`The same ${what} again`)
  if (first !== second) throw new CommandError('the two do not match; nothing was changed')
  return first
}

async function askOnce(message: string): Promise<string> {
  const answer = await password({ message, output: process.stderr })
  if (isCancel(answer)) throw new CommandError('cancelled; nothing was changed')
  return answer ?? ''
}
