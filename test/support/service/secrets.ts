import { appendFileSync, mkdirSync } from 'node:fs'

/** The folder with all log lines of all services that the tests start, for `log-search.ts`. */
export const logDirectory = new URL('../../../.logs/', import.meta.url)
/** Secrets generated during the tests, one per line. */
export const secretsFile = new URL('secrets.txt', logDirectory)

/** Part of every password and secret of the tests, so that leaked ones can be found in the logs. */
export const marker = 's3cr3t'

/** Makes a password or a secret for a test. */
export const secret = (name: string): string => `${marker} ${name} pässword`

/** Makes a secret for other programs, which accept only ASCII. */
export const asciiSecret = (name: string): string => `${marker}-${name}`

/** Records a secret that the program generated. */
export function remember(generated: string): string {
  mkdirSync(logDirectory, { recursive: true })
  appendFileSync(secretsFile, `${generated}\n`)
  return generated
}
