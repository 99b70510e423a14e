import { disableUser } from '../../db/repositories/users.ts'
import { withStore } from '../store.ts'
import { type Command, CommandError } from '../terminal/command.ts'

export const command: Command = {
  summary: 'Keep a user from logging in',
  positionals: ['email'],
  async run({ env, positionals: [email = ''] }) {
    await withStore(env, async db => {
      if (!(await disableUser(db, email))) throw new CommandError(`there is no user ${email}`)
      console.error(`Disabled the user ${email}.`)
    })
  }
}
