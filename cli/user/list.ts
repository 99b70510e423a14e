import { listCommand } from '../accounts.ts'

export const command = listCommand('List the users', async db =>
  (await import('../../accounts/users.ts')).listUsers(db)
)
