import { listCommand } from '../accounts.ts'
import { requireDatabaseKeys } from './database-keys.ts'

export const command = listCommand('List the signing keys', async (db, settings) => {
  requireDatabaseKeys(settings)
  const { listSigningKeys } = await import('../../db/accounts/signing-keys.ts')
  const keys = await listSigningKeys(db)
  return keys.map(({ id: kid, algorithm, status, timeCreated, timeActivated, timeRetired }) => ({
    kid,
    algorithm,
    status,
    timeCreated,
    timeActivated: timeActivated ?? '',
    timeRetired: timeRetired ?? ''
  }))
})
