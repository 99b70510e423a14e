import { appendFileSync, mkdirSync } from 'node:fs'

/** Where the tests keep every log line of every service they start, for `log-search.ts`. */
export const logDirectory = new URL('../.logs/', import.meta.url)
/** Secrets that were made while the tests ran, one a line. */
export const secretsFile = new URL('secrets.txt', logDirectory)

/** In every password and secret of the tests, so that a log line with any of them can be found. */
export const marker = 's3cr3t'

/** A password or secret for a test. */
export const secret = (name: string): string => `${marker} ${name} pässword`

/** Remembers a secret that the program made up. */
export function remember(generated: string): string {
  mkdirSync(logDirectory, { recursive: true })
  appendFileSync(secretsFile, `${generated}\n`)
  return generated
}
