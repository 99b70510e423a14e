import { randomUUID } from 'node:crypto'
import { hashPassword } from '../../credentials/password.ts'
import { findUserByEmail, insertUser } from '../../db/repositories/users.ts'
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
      if (await findUserByEmail(db, email)) throw new CommandError(`there is a user ${email} already`)
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
      await db.transaction().execute(transaction => insertUser(transaction, user))
      console.error(`Added the user ${email}.`)
    })
  }
}
