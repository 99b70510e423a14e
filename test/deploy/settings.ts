import { readFileSync } from 'node:fs'

const documented = readFileSync(new URL('../../docs/configuration.md', import.meta.url), 'utf8')

/** Whether a variable is a setting, or names the file of a secret one. */
export const isSetting = (name: string): boolean =>
  [name, name.replace(/_FILE$/, '')].some(known => documented.includes(`\`${known}\``))
