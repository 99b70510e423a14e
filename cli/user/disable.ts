import { withStore } from '../store.ts'
import type { Command } from '../terminal/command.ts'
import { jsonOption, printResult } from '../terminal/result.ts'

export const command: Command = {
  summary: 'Disable a user',
  positionals: ['email'],
  options: jsonOption,
  details:
    'The user can no longer log in. All tokens of the user are revoked, even if the user is enabled again.',
  async run({ sources, positionals: [email = ''], values }) {
    const { disableUser } = await import('../../accounts/users.ts')
    await withStore(sources, async db => {
      await disableUser(db, email)
      printResult(values, { email }, `Disabled user ${email}.`)
    })
  }
}
