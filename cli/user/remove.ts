import { withStore } from '../store.ts'
import type { Command } from '../terminal/command.ts'
import { jsonOption, printResult } from '../terminal/result.ts'

export const command: Command = {
  summary: 'Remove a user for good',
  positionals: ['email'],
  options: jsonOption,
  details: 'All tokens of the user end at once. `user disable` does that too, and can be undone.',
  async run({ sources, positionals: [email = ''], values }) {
    const { removeUser } = await import('../../accounts/users.ts')
    await withStore(sources, db => removeUser(db, email))
    printResult(values, { email }, `Removed user ${email}.`)
  }
}
