import { withStore } from '../store.ts'
import type { Command } from '../terminal/command.ts'

export const command: Command = {
  summary: 'Enable a disabled user',
  positionals: ['email'],
  async run({ sources, positionals: [email = ''] }) {
    const { enableUser } = await import('../../accounts/users.ts')
    await withStore(sources, async db => {
      await enableUser(db, email)
      console.error(`Enabled user ${email}.`)
    })
  }
}
