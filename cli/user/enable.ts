import { changeCommand } from '../accounts.ts'

export const command = changeCommand({
  summary: 'Enable a disabled user',
  key: 'email',
  change: async (db, email) => (await import('../../accounts/users.ts')).enableUser(db, email),
  done: 'Enabled user'
})
