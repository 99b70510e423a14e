import { enableUser } from '../../db/accounts/users.ts'
import { withStore } from '../store.ts'
import { type Command, CommandError } from '../terminal/command.ts'

export const command: Command = {
  summary: 'Enable a disabled user',
  positionals: ['email'],
  async run({ env, positionals: [email = ''] }) {
    await withStore(env, async db => {
      if (!(await enableUser(db, email))) throw new CommandError(`there is no user ${email}`)
      console.error(`Enabled user ${email}.`)
    })
  }
}
