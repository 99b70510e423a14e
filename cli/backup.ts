import { basename } from 'node:path'
import { checkDatabaseFile, configuredFile, quote } from './sqlite-file.ts'
import { type Command, CommandError } from './terminal/command.ts'
import { startProgress } from './terminal/progress.ts'
import { stoppable } from './terminal/stoppable.ts'

export const command: Command = {
  summary: 'Copy the SQLite database to a file while services use it',
  args: '<file>',
  options: {
    '--force': 'replace an existing file',
    '--json': 'print the result as JSON'
  },
  details: `
The file has the database as it was at one moment. It is checked before it appears, and <file>.sha256 has its
checksum. It contains password hashes and signing keys, and only its owner may read it.
BACKUP_DIR makes the service itself write backups. For PostgreSQL, use pg_dump.`,
  async run({ sources, options }, file) {
    const source = await configuredFile(
      sources,
      url => `pg_dump --format=custom --file=${quote(file)} ${quote(url)}`
    )
    const { BackupError, backupFile, FileExists } = await import('../db/backup/backup.ts')
    await checkDatabaseFile(source)
    const progress = startProgress('Copying MiB')
    const showMebibytes = (done: number, total: number) =>
      progress.update(Math.floor(done / 2 ** 20), Math.ceil(total / 2 ** 20))
    try {
      const made = await stoppable(signal =>
        backupFile(source, file, { replace: options.force, progress: showMebibytes, signal })
      )
      progress.finish(`Wrote ${made.file} and ${basename(made.file)}.sha256.`)
      if (options.json) console.log(JSON.stringify(made))
    } catch (error) {
      if (error instanceof FileExists) throw new CommandError(`${error.message}: give --force to replace it`)
      if (error instanceof BackupError) throw new CommandError(error.message)
      throw error
    }
  }
}
