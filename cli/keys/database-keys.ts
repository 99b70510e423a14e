import { StartError } from '../../errors.ts'
import type { ProcessSettings } from '../../options.ts'

/** Throws StartError if the service uses keys from a file. */
export function requireDatabaseKeys({ signingKeysFile }: ProcessSettings): void {
  if (signingKeysFile !== undefined)
    throw new StartError(
      'PTS_BAD_OPTION',
      'SIGNING_KEYS_FILE is set: the service uses the keys in that file, not those in the database'
    )
}
