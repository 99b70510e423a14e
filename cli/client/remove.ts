import { changeCommand } from '../accounts.ts'

export const command = changeCommand({
  summary: 'Remove a client for good',
  details: 'All tokens of the client end at once. `client disable` refuses them too, and can be undone.',
  key: 'id',
  change: async (db, id) => (await import('../../accounts/clients.ts')).removeClient(db, id),
  done: 'Removed client'
})
