import { changeCommand } from '../accounts.ts'

export const command = changeCommand({
  summary: 'Remove a user for good',
  details: 'All tokens of the user end at once. `user disable` does that too, and can be undone.',
  key: 'email',
  change: async (db, email) => (await import('../../accounts/users.ts')).removeUser(db, email),
  done: 'Removed user'
})
