import { basename } from 'node:path'
import type { Command } from '../../terminal/command.ts'
import { runUntilSignal } from '../../terminal/output.ts'
import { startProgress } from '../../terminal/progress.ts'
import { printJson } from '../../terminal/result.ts'
import { quoteWord } from '../../terminal/shell.ts'
import { requireDatabaseFile } from './database-file.ts'

export const command: Command = {
  summary: 'Copy the SQLite database to a file while services use it',
  args: '<file>',
  options: { '--force': 'replace an existing file', '--json': 'print the result as JSON' },
  details: `
The file contains the database as it was at one moment. The command checks it before it appears; <file>.sha256 has its
checksum. It contains password hashes and signing keys, so only its owner may read it.
With BACKUP_DIR, the service itself writes backups. For PostgreSQL, use pg_dump.`,
  async run({ sources, options }, file) {
    const source = requireDatabaseFile(
      sources,
      url => `pg_dump --format=custom --file=${quoteWord(file)} ${quoteWord(url)}`
    )
    const { backupFile } = await import('./backup.ts')
    const bar = startProgress('Copying MiB')
    const progress = (done: number, total: number) =>
      bar.update(Math.floor(done / 2 ** 20), Math.ceil(total / 2 ** 20))
    const made = await runUntilSignal(signal =>
      backupFile(source, file, { replace: options.force, progress, signal })
    )
    bar.finish(`Wrote ${made.file} and ${basename(made.file)}.sha256.`)
    if (options.json) printJson(made)
  }
}
