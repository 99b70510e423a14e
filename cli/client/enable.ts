import { enableClient } from '../../db/accounts/clients.ts'
import { withStore } from '../store.ts'
import { type Command, CommandError } from '../terminal/command.ts'

export const command: Command = {
  summary: 'Enable a disabled client',
  positionals: ['id'],
  async run({ env, positionals: [id = ''] }) {
    await withStore(env, async db => {
      if (!(await enableClient(db, id))) throw new CommandError(`there is no client ${id}`)
      console.error(`Enabled client ${id}.`)
    })
  }
}
