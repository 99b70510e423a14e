import { hashPassword } from '../../credentials/password.ts'
import { findUserByEmail, updatePassword } from '../../db/repositories/users.ts'
import { withStore } from '../store.ts'
import { type Command, CommandError } from '../terminal/command.ts'
import { readSecret } from '../terminal/secret.ts'

export const command: Command = {
  summary: "Change a user's password",
  positionals: ['email'],
  details: 'The new password is asked for, or read from standard input.',
  async run({ env, positionals: [email = ''] }) {
    await withStore(env, async (db, settings) => {
      if (!(await findUserByEmail(db, email))) throw new CommandError(`there is no user ${email}`)
      await updatePassword(db, email, await hashPassword(await readSecret('password'), settings))
      console.error(`Changed the password of ${email}.`)
    })
  }
}
