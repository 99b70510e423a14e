import type { Db } from '../../db/schema.ts'
import { StartError } from '../../errors.ts'
import type { SettingSources } from '../../options/sources.ts'
import type { ProcessSettings } from '../../options.ts'
import { withStore } from '../store.ts'

/** Runs a job on the signing keys in the database. Throws StartError if the service uses keys from a file. */
export async function withDatabaseKeys<T>(
  sources: SettingSources,
  job: (db: Db, settings: ProcessSettings) => Promise<T>
): Promise<T> {
  const { readSettings } = await import('../../options.ts')
  if (readSettings(sources).settings.signingKeysFile !== undefined)
    throw new StartError(
      'PTS_BAD_OPTION',
      'SIGNING_KEYS_FILE is set: the service uses the keys in that file, not those in the database'
    )
  return withStore(sources, job)
}
