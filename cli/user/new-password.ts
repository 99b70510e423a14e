import { UsageError } from '../terminal/command.ts'
import { readSecret } from '../terminal/secret.ts'

/** Reads a new password for a user. Throws UsageError if it is weak; `words` are those that a guess would begin with. */
export async function readNewPassword(words: string[]): Promise<string> {
  const { longestPassword } = await import('../../credentials/password.ts')
  const { findWeakness } = await import('../../credentials/weak-password.ts')
  const password = await readSecret('password')
  // A longer one is refused anyway, and takes long to look at.
  if (Buffer.byteLength(password) > longestPassword) return password
  const weakness = await findWeakness(
    password,
    words.filter(word => word !== '')
  )
  if (weakness !== undefined) throw new UsageError(weakness)
  return password
}
