import type { Command } from '../../terminal/command.ts'
import { runUntilSignal } from '../../terminal/output.ts'
import { printJson } from '../../terminal/result.ts'
import { quoteWord } from '../../terminal/shell.ts'
import { requireDatabaseFile } from './database-file.ts'

export const command: Command = {
  summary: 'Replace the SQLite database by a backup',
  args: '<file>',
  options: { '--force': 'also replace a damaged database', '--json': 'print the result as JSON' },
  details: `
Stop the service first: the command refuses a database that a process has open. The backup is checked before
anything changes, against <file>.sha256 if that file exists. The former database stays beside the new one under
another name. Tokens and accounts are restored too: see docs/backup.md. For PostgreSQL, use pg_restore.`,
  async run({ sources, options }, file) {
    const database = requireDatabaseFile(
      sources,
      url =>
        `pg_restore --clean --if-exists --single-transaction --dbname=${quoteWord(url)} ${quoteWord(file)}`
    )
    const { restoreFile } = await import('./restore.ts')
    await runUntilSignal(async signal => {
      const restored = await restoreFile(file, database, { replaceDamaged: options.force, signal })
      // Printed before a signal ends the process: one that came too late stops nothing.
      if (!restored.checksum) console.error(`There is no ${file}.sha256: the backup was checked without it.`)
      console.error(`Restored ${restored.file}.`)
      if (restored.kept !== undefined) console.error(`The former database is ${restored.kept}`)
      if (options.json) printJson(restored)
    })
  }
}
