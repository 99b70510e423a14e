import { openDatabase } from '../db/connect.ts'
import { copyDatabase, NotEmpty } from '../db/copy.ts'
import { optionsFromEnv, type ProcessSettings } from '../options.ts'
import { type Command, CommandError, UsageError } from './terminal/command.ts'
import { startProgress } from './terminal/progress.ts'

export const command: Command = {
  summary: 'Copy everything from one database into another, empty one',
  options: {
    from: { type: 'string', value: 'url', help: 'the database to read; DATABASE_URL when it is not given' },
    to: { type: 'string', value: 'url', help: 'the database to fill; DATABASE_URL when it is not given' }
  },
  details: `
Templates, users, clients, signing keys, logins: all of it as it was at one moment, or none of it. Between
SQLite and PostgreSQL, in either direction. Stop the services on the first database before: what they write
afterwards is not copied. Both are brought to the newest version. A password in a command line can be read
by other users of the machine: DATABASE_URL_FILE keeps one out of it.`,
  async run({ env, values }) {
    const source = settingsFor(env, values.from)
    const target = settingsFor(env, values.to)
    if (source.database === target.database)
      throw new UsageError('give --from or --to: they must be two databases')
    const from = await openDatabase(source.database, { ...source, mustExist: true })
    try {
      const to = await openDatabase(target.database, target)
      try {
        const progress = startProgress('Copying')
        const copied = await copyDatabase(from, to, progress.update).catch(refusal)
        progress.finish(`Copied ${copied} rows.`)
      } finally {
        await to.destroy()
      }
    } finally {
      await from.destroy()
    }
  }
}

/** The settings with the database that the command line names. */
function settingsFor(env: NodeJS.ProcessEnv, url: unknown): ProcessSettings {
  if (url === undefined) return optionsFromEnv(env)
  const { DATABASE_URL_FILE: _file, ...rest } = env
  return optionsFromEnv({ ...rest, DATABASE_URL: String(url) })
}

function refusal(error: unknown): never {
  if (error instanceof NotEmpty)
    throw new CommandError(`the database to fill is not empty (${error.message}); nothing was changed`)
  // PostgreSQL 22021, character_not_in_repertoire.
  if ((error as { code?: string }).code === '22021')
    throw new CommandError(
      'a text has the character U+0000, which PostgreSQL cannot hold; nothing was changed'
    )
  throw error
}
