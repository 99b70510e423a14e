import { withStore } from '../store.ts'
import type { Command } from '../terminal/command.ts'

export const command: Command = {
  summary: 'Enable a disabled client',
  positionals: ['id'],
  async run({ sources, positionals: [id = ''] }) {
    const { enableClient } = await import('../../accounts/clients.ts')
    await withStore(sources, async db => {
      await enableClient(db, id)
      console.error(`Enabled client ${id}.`)
    })
  }
}
