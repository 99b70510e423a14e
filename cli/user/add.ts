import { randomUUID } from 'node:crypto'
import { hashPassword } from '../../credentials/password.ts'
import { findUserByEmail, insertUser } from '../../db/accounts/users.ts'
import { transact } from '../../db/transaction.ts'
import { withStore } from '../store.ts'
import { type Command, CommandError, UsageError } from '../terminal/command.ts'
import { readSecret } from '../terminal/secret.ts'

export const command: Command = {
  summary: 'Add a user',
  positionals: ['email'],
  options: {
    'first-name': { type: 'string', value: 'name', help: 'the profile that comes with a token' },
    'last-name': { type: 'string', value: 'name', help: '' },
    country: { type: 'string', value: 'name', help: '' },
    mobile: { type: 'string', value: 'number', help: '' },
    wallet: {
      type: 'string',
      multiple: true,
      value: 'address',
      help: 'a wallet address; may be given more than once'
    }
  },
  details: 'The password is asked for, or read from standard input.',
  async run({ env, positionals: [email = ''], values }) {
    if (!/^[^\s@]+@[^\s@]+$/.test(email)) throw new UsageError(`"${email}" is no e-mail address`)
    await withStore(env, async (db, settings) => {
      const taken = new CommandError(`there is a user ${email} already`)
      // Before a password is asked for, and again where nobody can come in between.
      if (await findUserByEmail(db, email)) throw taken
      const passwordHash = await hashPassword(await readSecret('password'), settings)
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
      console.error(`Added the user ${email}.`)
    })
  }
}
