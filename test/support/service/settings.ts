import { type ProcessSettings, readSettings } from '../../../options/index.ts'

/** Reads the settings of a process without flags. */
export const optionsFromEnv = (env: NodeJS.ProcessEnv): ProcessSettings =>
  readSettings({ flags: {}, env }).settings
