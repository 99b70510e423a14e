import { enableClient } from '../../db/accounts/clients.ts'
import { withStore } from '../store.ts'
import { type Command, CommandError } from '../terminal/command.ts'

export const command: Command = {
  summary: 'Let a disabled client authenticate again',
  positionals: ['id'],
  async run({ env, positionals: [id = ''] }) {
    await withStore(env, async db => {
      if (!(await enableClient(db, id))) throw new CommandError(`there is no client ${id}`)
      console.error(`Enabled the client ${id}.`)
    })
  }
}
