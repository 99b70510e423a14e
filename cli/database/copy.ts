import type { OptionValues } from 'commander'
import type { Db } from '../../db/schema.ts'
import { databaseUrlForm, isDatabaseUrl } from '../../db/url.ts'
import { tables } from '../../features/load.ts'
import { readSettings } from '../../options/index.ts'
import type { SettingSources } from '../../options/sources.ts'
import { type Command, CommandError, UsageError } from '../../terminal/command.ts'
import { startProgress } from '../../terminal/progress.ts'
import { jsonOption, printJson } from '../../terminal/result.ts'
import { bulkTimeout, withStore } from '../../terminal/store.ts'

export const command: Command = {
  summary: 'Copy all data to another, empty database',
  args: '[from] [to]',
  options: {
    '--from <url>': 'source database; default: DATABASE_URL',
    '--to <url>': 'target database; default: DATABASE_URL',
    ...jsonOption
  },
  details: `
Copies templates, users, clients, signing keys and logins from SQLite to PostgreSQL or back: a consistent
snapshot, or nothing if the copy fails. Instead of --from and --to, two arguments may name both databases.
Stop the services on the source first, since later writes are not copied. Both databases are migrated to the
latest version. Other users of the machine can read passwords on a command line; use DATABASE_URL_FILE to
avoid that.`,
  async run({ sources, options }, first?: string, second?: string) {
    const { copyDatabase } = await import('./copy-rows.ts')
    const { from, to } = readUrls(options, first, second)
    const source = setDatabase(sources, from, 'source')
    const target = setDatabase(sources, to, 'target')
    if (readSettings(source).settings.database === readSettings(target).settings.database)
      throw new UsageError('source and target are the same database: give --from or --to')
    const copy = async (from: Db, to: Db) => {
      const progress = startProgress('Copying')
      const copied = await copyDatabase(from, to, tables, progress.update).catch(throwCopyError)
      progress.finish(`Copied ${copied} rows.`)
      if (options.json) printJson({ rows: copied })
    }
    const opening = { mustExist: false, ...bulkTimeout }
    await withStore(source, from => withStore(target, to => copy(from, to), opening))
  }
}

/** Reads source and target: two arguments, or options. Throws UsageError. */
function readUrls({ from, to }: OptionValues, first?: string, second?: string) {
  if (first === undefined) return { from, to }
  // A single URL could be either one.
  if (second === undefined) throw new UsageError('give both databases, or one with --from or --to')
  if (from !== undefined || to !== undefined)
    throw new UsageError('give two arguments, or --from and --to, not both')
  return { from: first, to: second }
}

/** Replaces the configured database with `url`, if it is given. Throws UsageError. */
function setDatabase({ flags, env }: SettingSources, url: string | undefined, name: string): SettingSources {
  if (url === undefined) return { flags, env }
  if (!isDatabaseUrl(url)) throw new UsageError(`the ${name} database must be ${databaseUrlForm}`)
  const { 'database-url-file': _file, ...otherFlags } = flags
  return { flags: { ...otherFlags, 'database-url': url }, env }
}

function throwCopyError(error: unknown): never {
  // PostgreSQL 22021, character_not_in_repertoire.
  if ((error as { code?: string }).code === '22021')
    throw new CommandError(
      'a string contains the character U+0000, which PostgreSQL cannot store; nothing was changed'
    )
  throw error
}
