import { changeCommand } from '../accounts.ts'

export const command = changeCommand({
  summary: 'Enable a disabled client',
  key: 'id',
  change: async (db, id) => (await import('../../accounts/clients.ts')).enableClient(db, id),
  done: 'Enabled client'
})
