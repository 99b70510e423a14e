import { revokeFamiliesOfUser } from '../../db/accounts/refresh-tokens.ts'
import { disableUser, findUserByEmail } from '../../db/accounts/users.ts'
import { transact } from '../../db/transaction.ts'
import { withStore } from '../store.ts'
import { type Command, CommandError } from '../terminal/command.ts'

export const command: Command = {
  summary: 'Disable a user',
  positionals: ['email'],
  details:
    'The user can no longer log in. All tokens of the user are revoked, even if the user is enabled again.',
  async run({ env, positionals: [email = ''] }) {
    await withStore(env, async db => {
      await transact(db, async transaction => {
        const user = await findUserByEmail(transaction, email)
        if (!user) throw new CommandError(`there is no user ${email}`)
        await disableUser(transaction, email)
        await revokeFamiliesOfUser(transaction, user.id)
      })
      console.error(`Disabled user ${email}.`)
    })
  }
}
