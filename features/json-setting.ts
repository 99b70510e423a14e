import { readFile } from 'node:fs/promises'
import { ArgumentError, StartError, type StartErrorCode } from '../runtime/host-errors.ts'

/** The variable of a setting, and the code of its errors. */
interface JsonSetting {
  name: string
  code: StartErrorCode
}

/**
 * Reads a setting that is JSON, or the path of a file with JSON. `convert` may throw ArgumentError. Throws a
 * StartError that never quotes the text, because it may have secrets.
 */
export async function readJson<Value>(
  { name, code }: JsonSetting,
  given: string,
  convert: (value: unknown, text: string) => Value | Promise<Value>
): Promise<Value> {
  try {
    const text = /^\s*[[{]/.test(given) ? given : await readFile(given, 'utf8')
    return await convert(JSON.parse(text), text)
  } catch (error) {
    const { code: fault, message } = error as NodeJS.ErrnoException
    const reason = error instanceof ArgumentError ? message : (fault ?? 'it is not JSON')
    throw new StartError(code, `${name} cannot be used: ${reason}`, { cause: error })
  }
}

/** Reads an array like {@link readJson}. Entries must not share the value of a member in `unique`. */
export async function readJsonList<Entry>(
  setting: JsonSetting,
  given: string | undefined,
  check: (entry: unknown, what: string) => Entry,
  unique: (keyof Entry & string)[]
): Promise<Entry[]> {
  if (given === undefined) return []
  return readJson(setting, given, entries => {
    if (!Array.isArray(entries)) throw new ArgumentError('it must be an array')
    const checked = entries.map((entry, index) => check(entry, `entry ${index + 1}`))
    for (const member of unique)
      if (new Set(checked.map(entry => entry[member])).size < checked.length)
        throw new ArgumentError(`two entries have the same ${member}`)
    return checked
  })
}
