import { Type } from './types.ts'

/** Settings of the backups that the service writes by itself. */
export const backupSettings = {
  backupDir: Type.Optional(
    Type.String({
      env: 'BACKUP_DIR',
      minLength: 1,
      expected: 'a path',
      description:
        'directory for regular backups of the SQLite database, of this one alone; no backups if absent'
    })
  ),
  backupInterval: Type.Integer({
    env: 'BACKUP_INTERVAL',
    default: 86_400,
    minimum: 60,
    maximum: 2_073_600,
    description: 'seconds between two backups'
  }),
  backupKeep: Type.Integer({
    env: 'BACKUP_KEEP',
    default: 7,
    minimum: 1,
    maximum: 100_000,
    description: 'number of backups to keep; older ones are deleted after a new one is complete'
  })
}
