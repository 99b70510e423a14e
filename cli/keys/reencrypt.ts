import { withStore } from '../store.ts'
import { type Command, CommandError } from '../terminal/command.ts'
import { jsonOption, printResult } from '../terminal/result.ts'
import { requireDatabaseKeys } from './database-keys.ts'

export const command: Command = {
  summary: 'Encrypt the signing keys with a new secret',
  options: {
    'keep-remains': { type: 'boolean', help: 'do not remove the former keys from the files of the database' },
    ...jsonOption
  },
  details: `
Set KEY_ENCRYPTION_SECRET to the new secret and KEY_ENCRYPTION_SECRET_OLD to the former one, for this command and, before,
for the services: they go on meanwhile. Afterwards the former secret is not needed. Keys that are not encrypted yet are
encrypted too.

Then the former keys are removed from the files of the database: SQLite writes its file anew (VACUUM), PostgreSQL the
table of the keys. Writers of a SQLite file wait meanwhile, about a second for 200 MB; --keep-remains leaves that for a
later call. Backups keep the former keys.`,
  async run({ sources, values }) {
    const { reencryptKeys } = await import('../../credentials/key-encryption.ts')
    const { eraseRemains } = await import('../../db/connect.ts')
    const erase = values['keep-remains'] !== true
    const keys = await withStore(sources, async (db, settings) => {
      requireDatabaseKeys(settings)
      const keys = await reencryptKeys(db, settings)
      if (erase && !(await eraseRemains(db).catch(throwIfOther)))
        throw new CommandError(
          `${keys.length} keys were encrypted, but the former ones are still in the files: others use them, or the role does not own the table. Run this again`
        )
      return keys
    })
    const remains = erase ? ' The files of the database no longer have the former ones.' : ''
    printResult(values, { keys, erased: erase }, `Encrypted ${keys.length} keys.${remains}`)
  }
}

/** False if the database was busy. */
function throwIfOther(error: unknown): boolean {
  const { code = '' } = error as { code?: string }
  if (code.startsWith('SQLITE_BUSY') || code === '55P03') return false
  throw error
}
