import type { Db } from '../../db/schema.ts'
import { StartError } from '../../errors.ts'
import { optionsFromEnv, type ProcessSettings } from '../../options.ts'
import { withStore } from '../store.ts'

/** Runs a job on the signing keys of the database. Throws StartError when the service has others, of a file. */
export function withDatabaseKeys<T>(
  env: NodeJS.ProcessEnv,
  job: (db: Db, settings: ProcessSettings) => Promise<T>
): Promise<T> {
  if (optionsFromEnv(env).signingKeysFile !== undefined)
    throw new StartError(
      'PTS_BAD_OPTION',
      'SIGNING_KEYS_FILE is set: the keys are those of the file, and the ones in the database are not in use'
    )
  return withStore(env, job)
}
