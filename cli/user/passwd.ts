import { forgetAttempts } from '../../db/accounts/attempts.ts'
import { revokeFamiliesOfUser } from '../../db/accounts/refresh-tokens.ts'
import { findUserByEmail, updatePassword } from '../../db/accounts/users.ts'
import { transact } from '../../db/transaction.ts'
import { withStore } from '../store.ts'
import { type Command, CommandError } from '../terminal/command.ts'
import { readPasswordHash } from './password-hash.ts'

export const command: Command = {
  summary: 'Change the password of a user',
  positionals: ['email'],
  details: `
Prompts for the new password, or reads it from standard input. All tokens of the user are revoked, and a locked
account is unlocked.`,
  async run({ env, positionals: [email = ''] }) {
    await withStore(env, async (db, settings) => {
      const user = await findUserByEmail(db, email)
      if (!user) throw new CommandError(`there is no user ${email}`)
      const passwordHash = await readPasswordHash(settings)
      await transact(db, async transaction => {
        await updatePassword(transaction, email, passwordHash)
        await revokeFamiliesOfUser(transaction, user.id)
        await forgetAttempts(transaction, { account: user.email })
      })
      console.error(`Changed the password of ${email}.`)
    })
  }
}
