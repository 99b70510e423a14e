import { randomUUID } from 'node:crypto'
import { longestEmail } from '../../db/accounts/email-key.ts'
import { findUserByEmail, insertUser } from '../../db/accounts/users.ts'
import { transact } from '../../db/transaction.ts'
import { withStore } from '../store.ts'
import { type Command, CommandError, UsageError } from '../terminal/command.ts'
import { readPasswordHash } from './password-hash.ts'

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
  async run({ env, positionals: [email = ''], values }) {
    if (!/^[^\s@]+@[^\s@]+$/.test(email)) throw new UsageError(`"${email}" is not an e-mail address`)
    if (email.length > longestEmail)
      throw new UsageError(`an e-mail address must have at most ${longestEmail} characters`)
    await withStore(env, async (db, settings) => {
      const taken = new CommandError(`user ${email} already exists`)
      // Checked before the prompt, and again in the transaction.
      if (await findUserByEmail(db, email)) throw taken
      const passwordHash = await readPasswordHash(settings)
      const user = {
        id: randomUUID(),
        email,
        passwordHash,
        firstName: String(values['first-name'] ?? ''),
        lastName: String(values['last-name'] ?? ''),
        country: String(values.country ?? ''),
        mobile: String(values.mobile ?? ''),
        wallets: (values.wallet ?? []) as string[]
      }
      await transact(db, async transaction => {
        if (await findUserByEmail(transaction, email)) throw taken
        await insertUser(transaction, user)
      })
      console.error(`Added user ${email}.`)
    })
  }
}
