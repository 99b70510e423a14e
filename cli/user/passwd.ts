import { withStore } from '../store.ts'
import type { Command } from '../terminal/command.ts'
import { jsonOption, printResult } from '../terminal/result.ts'
import { readNewPassword } from './new-password.ts'

export const command: Command = {
  summary: 'Change the password of a user',
  positionals: ['email'],
  options: jsonOption,
  details: `
Prompts for the new password, or reads it from standard input. It must have at least 12 characters and not be easy to
guess. All tokens of the user are revoked, and a locked account is unlocked.`,
  async run({ sources, positionals: [email = ''], values }) {
    const { requireUser, setPassword, withoutSecrets } = await import('../../accounts/users.ts')
    await withStore(sources, async (db, settings) => {
      const user = await requireUser(db, email)
      const password = await readNewPassword([email, user.firstName, user.lastName])
      await setPassword(db, email, password, settings)
      printResult(values, withoutSecrets(user), `Changed the password of ${email}.`)
    })
  }
}
