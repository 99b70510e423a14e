import { withStore } from '../store.ts'
import type { Command } from '../terminal/command.ts'
import { jsonOption, printResult } from '../terminal/result.ts'

export const command: Command = {
  summary: 'Enable a disabled user',
  positionals: ['email'],
  options: jsonOption,
  async run({ sources, positionals: [email = ''], values }) {
    const { enableUser } = await import('../../accounts/users.ts')
    await withStore(sources, async db => {
      await enableUser(db, email)
      printResult(values, { email }, `Enabled user ${email}.`)
    })
  }
}
