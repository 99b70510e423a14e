import { hashPassword, type PasswordCost } from '../../credentials/password.ts'
import { UsageError } from '../terminal/command.ts'
import { readSecret } from '../terminal/secret.ts'

/** Reads a new password and hashes it. Throws {@link UsageError} if it is too long. */
export async function readPasswordHash(cost: PasswordCost): Promise<string> {
  try {
    return await hashPassword(await readSecret('password'), cost)
  } catch (error) {
    throw error instanceof RangeError ? new UsageError(error.message) : error
  }
}
