import { disableClient } from '../../db/accounts/clients.ts'
import { withStore } from '../store.ts'
import { type Command, CommandError } from '../terminal/command.ts'

export const command: Command = {
  summary: 'Keep a client from authenticating',
  positionals: ['id'],
  async run({ env, positionals: [id = ''] }) {
    await withStore(env, async db => {
      if (!(await disableClient(db, id))) throw new CommandError(`there is no client ${id}`)
      console.error(`Disabled the client ${id}.`)
    })
  }
}
