import { deleteSigningKey, listSigningKeys } from '../../db/accounts/signing-keys.ts'
import { transact } from '../../db/transaction.ts'
import { type Command, CommandError } from '../terminal/command.ts'
import { withDatabaseKeys } from './database-keys.ts'

export const command: Command = {
  summary: 'Take a signing key out of use at once',
  positionals: ['kid'],
  details: 'Tokens that it signed are refused from now on. The key that signs must be rotated first.',
  async run({ env, positionals: [kid = ''] }) {
    await withDatabaseKeys(env, async db => {
      await transact(db, async transaction => {
        const key = (await listSigningKeys(transaction)).find(({ id }) => id === kid)
        if (!key) throw new CommandError(`there is no key ${kid}`)
        if (key.status === 'current') throw new CommandError(`the key ${kid} signs: rotate the keys first`)
        await deleteSigningKey(transaction, kid)
      })
      console.error(`Took the key ${kid} out of use.`)
    })
  }
}
