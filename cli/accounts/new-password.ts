import { isUtf8 } from 'node:buffer'
import { buffer } from 'node:stream/consumers'
import { isCancel, password } from '@clack/prompts'
import type { InvitedUser } from '../../accounts/user-input.ts'
import { CommandError, UsageError } from '../../terminal/command.ts'

/**
 * Reads a new password of a user from a pipe, or asks for it twice on a terminal, without echo. It is never an argument,
 * because other users of the machine can read arguments. Throws UsageError if it is weak.
 */
export async function readNewPassword(user: InvitedUser): Promise<string> {
  const given = process.stdin.isTTY ? await promptTwice() : await readPipe()
  if (given === '') throw new UsageError('the password is empty: type it or pipe it to the command')
  const { findWeakness } = await import('../../accounts/credentials/password-strength.ts')
  const weakness = await findWeakness(given, user)
  if (weakness !== undefined) throw new UsageError(weakness)
  return given
}

async function readPipe(): Promise<string> {
  const bytes = await buffer(process.stdin)
  // Decoding would replace the bytes, and nobody could log in with the password that was meant.
  if (!isUtf8(bytes)) throw new UsageError('the password is not valid UTF-8')
  return new TextDecoder().decode(bytes).replace(/\r?\n$/, '')
}

async function promptTwice(): Promise<string> {
  const first = await promptPassword('New password')
  if (first !== (await promptPassword('Repeat the password')))
    throw new CommandError('the two passwords do not match; nothing was changed')
  return first
}

async function promptPassword(message: string): Promise<string> {
  const answer = await password({ message, output: process.stderr })
  if (isCancel(answer)) throw new CommandError('cancelled; nothing was changed')
  return answer ?? ''
}
