import { withStore } from '../store.ts'
import type { Command } from '../terminal/command.ts'
import { readSecret } from '../terminal/secret.ts'

export const command: Command = {
  summary: 'Change the password of a user',
  positionals: ['email'],
  details: `
Prompts for the new password, or reads it from standard input. All tokens of the user are revoked, and a locked
account is unlocked.`,
  async run({ sources, positionals: [email = ''] }) {
    const { requireUser, setPassword } = await import('../../accounts/users.ts')
    await withStore(sources, async (db, settings) => {
      await requireUser(db, email)
      await setPassword(db, email, await readSecret('password'), settings)
      console.error(`Changed the password of ${email}.`)
    })
  }
}
