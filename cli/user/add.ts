import { withStore } from '../store.ts'
import type { Command } from '../terminal/command.ts'
import { readSecret } from '../terminal/secret.ts'

export const command: Command = {
  summary: 'Add a user',
  positionals: ['email'],
  options: {
    'first-name': {
      type: 'string',
      value: 'name',
      help: 'first name, returned with tokens like the rest of the profile'
    },
    'last-name': { type: 'string', value: 'name', help: 'last name' },
    country: { type: 'string', value: 'name', help: 'country' },
    mobile: { type: 'string', value: 'number', help: 'mobile number' },
    wallet: {
      type: 'string',
      multiple: true,
      value: 'address',
      help: 'wallet address; may be repeated'
    }
  },
  details: 'Prompts for the password, or reads it from standard input.',
  async run({ sources, positionals: [email = ''], values }) {
    const { addUser, checkUser, requireFreeEmail } = await import('../../accounts/users.ts')
    const user = {
      email,
      firstName: String(values['first-name'] ?? ''),
      lastName: String(values['last-name'] ?? ''),
      country: String(values.country ?? ''),
      mobile: String(values.mobile ?? ''),
      wallets: (values.wallet ?? []) as string[]
    }
    checkUser({ ...user, password: '' })
    await withStore(sources, async (db, settings) => {
      // Checked before the prompt, and again when the user is added.
      await requireFreeEmail(db, email)
      await addUser(db, { ...user, password: await readSecret('password') }, settings)
      console.error(`Added user ${email}.`)
    })
  }
}
