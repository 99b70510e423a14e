import { withStore } from '../store.ts'
import type { Command } from '../terminal/command.ts'
import { jsonOption, printResult } from '../terminal/result.ts'
import { readNewPassword } from './new-password.ts'
import { profileOptions, readProfile } from './profile.ts'

export const command: Command = {
  summary: 'Add a user',
  positionals: ['email'],
  options: { ...profileOptions, ...jsonOption },
  details: `
Prompts for the password, or reads it from standard input. It must have at least 12 characters and not be easy to guess.`,
  async run({ sources, positionals: [email = ''], values }) {
    const { addUser, checkUser, requireFreeEmail } = await import('../../accounts/users.ts')
    const user = { email, ...readProfile(values) }
    checkUser({ ...user, password: '' })
    await withStore(sources, async (db, settings) => {
      // Checked before the prompt, and again when the user is added.
      await requireFreeEmail(db, email)
      const { firstName = '', lastName = '' } = user
      const password = await readNewPassword([email, firstName, lastName])
      printResult(values, await addUser(db, { ...user, password }, settings), `Added user ${email}.`)
    })
  }
}
