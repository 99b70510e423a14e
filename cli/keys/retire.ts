import { withStore } from '../store.ts'
import { type Command, CommandError } from '../terminal/command.ts'
import { jsonOption, printResult } from '../terminal/result.ts'
import { requireDatabaseKeys } from './database-keys.ts'

export const command: Command = {
  summary: 'Remove a signing key at once',
  positionals: ['kid'],
  options: jsonOption,
  details: `Tokens signed with it are refused from now on. The current signing key must be rotated first.
If the kid of an older key starts with "-", put "--" before it.`,
  async run({ sources, positionals: [kid = ''], values }) {
    const { deleteSigningKey, listSigningKeys } = await import('../../db/accounts/signing-keys.ts')
    const { transact } = await import('../../db/transaction.ts')
    await withStore(sources, async (db, settings) => {
      requireDatabaseKeys(settings)
      await transact(db, async transaction => {
        const key = (await listSigningKeys(transaction)).find(({ id }) => id === kid)
        if (!key) throw new CommandError(`there is no key ${kid}`)
        if (key.status === 'current')
          throw new CommandError(`key ${kid} is the current one: rotate the keys first`)
        await deleteSigningKey(transaction, kid)
      })
      printResult(values, { kid }, `Removed key ${kid}.`)
    })
  }
}
