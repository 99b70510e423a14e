import { integer, path, type Values } from '../../options/setting.ts'
import type { Feature } from '../feature.ts'

const settings = {
  backupDir: path.describe(
    'directory for regular backups of this SQLite database only; no backups if absent'
  ),
  backupKeep: integer([1, 100_000], 7).describe(
    'number of backups to keep; older ones are deleted after a new one is complete'
  ),
  backupInterval: integer([60, 2_073_600], 86_400).describe('seconds between two backups')
}

export type BackupSettings = Values<typeof settings>

/** Backups of the SQLite database: by a command, and regularly. */
export const backups: Feature<typeof settings> = {
  settings,
  isOn: ({ backupDir }) => backupDir !== undefined,
  commands: {
    backup: () => import('./command.ts'),
    restore: () => import('./restore-command.ts')
  },
  doctor: () => import('./doctor.ts'),
  server: () => import('./server.ts')
}
