import { withStore } from '../store.ts'
import { type Command, UsageError } from '../terminal/command.ts'
import { formatJson } from '../terminal/plain-text.ts'
import { jsonOption } from '../terminal/result.ts'

export const command: Command = {
  summary: 'Replace the secret of a client and print it',
  positionals: ['id'],
  options: {
    'keep-old': {
      type: 'string',
      value: 'duration',
      help: 'how long the old secret stays valid too, such as 30m, 1h or 7d; default: not at all'
    },
    ...jsonOption
  },
  details: `
The new secret is shown only once. With --keep-old, programs that have the old secret go on until they get the new one.
Only one old secret is kept: a second call ends the first.`,
  async run({ sources, positionals: [id = ''], values }) {
    const { longestKeep, replaceSecret } = await import('../../accounts/clients.ts')
    const given = values['keep-old'] as string | undefined
    const keepOld = given === undefined ? 0 : readDuration(given, longestKeep)
    const secret = await withStore(sources, db => replaceSecret(db, id, { keepOld }))
    if (values.json === true) return console.log(formatJson({ id, secret, keepOld }))
    const old = given === undefined ? '' : ` The old one stays valid for ${given}.`
    console.error(`New secret of client ${id}, shown only once.${old}`)
    console.log(secret)
  }
}

const units: Record<string, number> = { s: 1, m: 60, h: 3600, d: 86_400 }

/** Reads a duration such as `90s`, `30m`, `1h` or `7d`; returns seconds, at most `max`. Throws UsageError. */
function readDuration(text: string, max: number): number {
  const [, number, unit = ''] = /^(\d{1,9})([smhd])$/.exec(text) ?? []
  const seconds = Number(number) * (units[unit] ?? 0)
  if (!(seconds >= 1 && seconds <= max))
    throw new UsageError(`--keep-old takes a duration such as 30m, 1h or 7d, at most ${max / 86_400}d`)
  return seconds
}
