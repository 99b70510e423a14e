import { withStore } from '../store.ts'
import type { Command } from '../terminal/command.ts'

export const command: Command = {
  summary: 'Disable a user',
  positionals: ['email'],
  details:
    'The user can no longer log in. All tokens of the user are revoked, even if the user is enabled again.',
  async run({ sources, positionals: [email = ''] }) {
    const { disableUser } = await import('../../accounts/users.ts')
    await withStore(sources, async db => {
      await disableUser(db, email)
      console.error(`Disabled user ${email}.`)
    })
  }
}
