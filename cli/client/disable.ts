import { withStore } from '../store.ts'
import type { Command } from '../terminal/command.ts'

export const command: Command = {
  summary: 'Disable a client',
  positionals: ['id'],
  details: 'The client can no longer authenticate, and its tokens are refused until it is enabled again.',
  async run({ sources, positionals: [id = ''] }) {
    const { disableClient } = await import('../../accounts/clients.ts')
    await withStore(sources, async db => {
      await disableClient(db, id)
      console.error(`Disabled client ${id}.`)
    })
  }
}
