import { showCommand } from '../accounts.ts'

export const command = showCommand('Show an OAuth client', 'id', async (db, id) =>
  (await import('../../accounts/clients.ts')).requireClient(db, id)
)
