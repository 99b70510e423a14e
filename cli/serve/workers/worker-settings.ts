import type { ProcessSettings } from '../../../options.ts'

/** The settings of one worker: what bounds the whole machine or the database server is divided. */
export function divideSettings(settings: ProcessSettings): ProcessSettings {
  const { workers, databasePoolSize, graphqlMaxPendingSize } = settings
  return {
    ...settings,
    databasePoolSize: Math.max(1, Math.floor(databasePoolSize / workers)),
    // The smallest value of the setting; one response may be larger anyway.
    graphqlMaxPendingSize: Math.max(1024, Math.floor(graphqlMaxPendingSize / workers))
  }
}
