import { changeCommand } from '../accounts.ts'

export const command = changeCommand({
  summary: 'Disable a client',
  details: 'The client can no longer authenticate, and its tokens are refused until it is enabled again.',
  key: 'id',
  change: async (db, id) => (await import('../../accounts/clients.ts')).disableClient(db, id),
  done: 'Disabled client'
})
