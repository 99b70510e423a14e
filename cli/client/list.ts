import { listCommand } from '../accounts.ts'

export const command = listCommand('List the OAuth clients', async db =>
  (await import('../../accounts/clients.ts')).listClients(db)
)
