import { jwksMaxAge } from '../../accounts/credentials/signing-key.ts'
import type { Db } from '../../db/schema.ts'
import { tables } from '../../features/load.ts'
import type { ProcessSettings } from '../../options/index.ts'
import type { SettingSources } from '../../options/sources.ts'
import { StartError } from '../../runtime/host-errors.ts'
import { type Command, CommandError } from '../../terminal/command.ts'
import { jsonOption, printList, printResult } from '../../terminal/result.ts'
import { makeActor, withStore } from '../../terminal/store.ts'

/** Like `withStore`. Throws StartError if the service uses keys from a file. */
const withDatabaseKeys = <T>(
  sources: SettingSources,
  job: (db: Db, settings: ProcessSettings) => Promise<T>
): Promise<T> =>
  withStore(sources, (db, settings) => {
    if (settings.signingKeysFile === undefined) return job(db, settings)
    throw new StartError(
      'PTS_BAD_OPTION',
      'SIGNING_KEYS_FILE is set: the service uses the keys in that file, not those in the database'
    )
  })

const list: Command = {
  summary: 'List the signing keys',
  options: jsonOption,
  async run({ sources, options }) {
    const { listSigningKeys } = await import('../../db/accounts/signing-keys.ts')
    const keys = await withDatabaseKeys(sources, listSigningKeys)
    const rows = keys.map(({ id: kid, algorithm, status, timeCreated, timeActivated, timeRetired }) => ({
      kid,
      algorithm,
      status,
      timeCreated,
      timeActivated: timeActivated ?? '',
      timeRetired: timeRetired ?? ''
    }))
    printList(options, rows)
  }
}

const rotate: Command = {
  summary: 'Publish the next signing key, or activate it',
  options: { '--now': 'activate without waiting for clients to fetch the key', ...jsonOption },
  details: `
The first call publishes a new key; a call at least ${jwksMaxAge} seconds later activates it for signing. The
previous key stays published until its tokens have expired.`,
  async run({ sources, options }) {
    const { rotateKeys } = await import('../../accounts/credentials/key-rotation.ts')
    const { step, kid, secondsToWait } = await withDatabaseKeys(sources, (db, settings) =>
      rotateKeys(db, settings, { now: options.now === true, actor: makeActor() })
    )
    const texts = {
      published: `Published key ${kid}. Run this command again in ${secondsToWait} s to activate the key.`,
      waiting: `Key ${kid} can be activated in ${secondsToWait} s; nothing was changed.`,
      activated: `Activated key ${kid}.`
    }
    printResult(options, { step, kid, secondsToWait }, texts[step])
  }
}

const reencrypt: Command = {
  summary: 'Encrypt the signing keys, and other stored keys, with a new secret',
  options: {
    '--keep-remains': 'do not remove the former keys from the files of the database',
    ...jsonOption
  },
  details: `
Set KEY_ENCRYPTION_SECRET to the new secret and KEY_ENCRYPTION_SECRET_OLD to the former one: first for the services, which
keep running, then for this command. Afterwards, the former secret is no longer needed. The command also encrypts keys that
are not encrypted yet.

Then it removes the former keys from the files of the database: SQLite rewrites its file (VACUUM), PostgreSQL rewrites the
tables that have keys. Writers of a SQLite file wait meanwhile, about a second for 200 MB; with --keep-remains, a later
call removes the former keys. Backups keep them.`,
  async run({ sources, options }) {
    const { listSealedTables, reencryptKeys } = await import('./reencrypt.ts')
    const { engineOf } = await import('../../db/dialects/engine.ts')
    const erase = options.keepRemains !== true
    const keys = await withDatabaseKeys(sources, async (db, settings) => {
      const keys = await reencryptKeys(db, tables, settings, makeActor())
      if (erase && !(await engineOf(db).eraseRemains(db, listSealedTables(tables)).catch(throwUnlessBusy)))
        throw new CommandError(
          `${keys.length} keys were encrypted, but the files still contain the former keys: another process uses the files, or the role does not own the table. Run this command again`
        )
      return keys
    })
    const remains = erase ? ' The files of the database no longer contain the former keys.' : ''
    printResult(options, { keys, erased: erase }, `Encrypted ${keys.length} keys.${remains}`)
  }
}

/** Returns false if the database was busy; throws any other error. */
function throwUnlessBusy(error: unknown): boolean {
  const { code = '' } = error as { code?: string }
  if (code.startsWith('SQLITE_BUSY') || code === '55P03') return false
  throw error
}

const retire: Command = {
  summary: 'Remove a signing key at once',
  args: '<kid>',
  options: jsonOption,
  details: `From now on, the service refuses tokens signed with the key. Rotate the current signing key before you retire it.
If the kid of an older key starts with "-", put "--" before it.`,
  async run({ sources, options }, kid) {
    const { deleteSigningKey, listSigningKeys } = await import('../../db/accounts/signing-keys.ts')
    const { recordEvent } = await import('../../db/audit/record.ts')
    const { transact } = await import('../../db/transaction.ts')
    await withDatabaseKeys(sources, db =>
      transact(db, async transaction => {
        const key = (await listSigningKeys(transaction)).find(({ id }) => id === kid)
        if (!key) throw new CommandError(`there is no key ${kid}`)
        if (key.status === 'current')
          throw new CommandError(`key ${kid} is the current key: rotate the keys first`)
        await deleteSigningKey(transaction, kid)
        await recordEvent(transaction, makeActor(), 'key.delete', { id: kid })
      })
    )
    printResult(options, { kid }, `Deleted key ${kid}.`)
  }
}

export const command: Command = {
  summary: 'Rotate, retire and encrypt signing keys',
  subcommands: { list, rotate, reencrypt, retire }
}
