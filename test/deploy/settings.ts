import { readFileSync } from 'node:fs'

const documented = readFileSync(new URL('../../docs/configuration.md', import.meta.url), 'utf8')
const announced = ['HEALTH_HOST', 'HEALTH_PORT', 'SHUTDOWN_DELAY', 'SHUTDOWN_TIMEOUT', 'SOCKET_MODE']

/** Whether a variable is a setting, or names the file of a secret one. */
export const isSetting = (name: string): boolean =>
  announced.includes(name) ||
  [name, name.replace(/_FILE$/, '')].some(known => documented.includes(`\`${known}\``))
