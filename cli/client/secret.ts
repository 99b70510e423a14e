import { withStore } from '../store.ts'
import type { Command } from '../terminal/command.ts'

export const command: Command = {
  summary: 'Replace the secret of a client and print it',
  positionals: ['id'],
  details: 'The old secret stops working at once. The new secret is shown only once.',
  async run({ sources, positionals: [id = ''] }) {
    const { replaceSecret } = await import('../../accounts/clients.ts')
    await withStore(sources, async db => {
      const secret = await replaceSecret(db, id)
      console.error(`New secret of client ${id}, shown only once:`)
      console.log(secret)
    })
  }
}
