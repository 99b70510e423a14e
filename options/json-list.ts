import { readFile } from 'node:fs/promises'
import { ArgumentError, StartError, type StartErrorCode } from '../errors.ts'

/**
 * Reads a setting that is a JSON array, or the path of a file with one. `check` throws ArgumentError; no two entries have the
 * same value of a member of `unique`. Throws a StartError that says what is wrong, without quoting the text, which may have
 * secrets.
 */
export async function readJsonList<Entry>(
  { name, code }: { name: string; code: StartErrorCode },
  given: string | undefined,
  check: (entry: unknown, what: string) => Entry,
  unique: (keyof Entry & string)[]
): Promise<Entry[]> {
  if (given === undefined) return []
  try {
    const entries = JSON.parse(/^\s*\[/.test(given) ? given : await readFile(given, 'utf8'))
    if (!Array.isArray(entries)) throw new ArgumentError('it must be an array')
    const checked = entries.map((entry, index) => check(entry, `entry ${index + 1}`))
    for (const member of unique)
      if (new Set(checked.map(entry => entry[member])).size < checked.length)
        throw new ArgumentError(`two entries have the same ${member}`)
    return checked
  } catch (error) {
    const { code: fault, message } = error as NodeJS.ErrnoException
    const reason = error instanceof ArgumentError ? message : (fault ?? 'it is not JSON')
    throw new StartError(code, `${name} cannot be used: ${reason}`, { cause: error })
  }
}
