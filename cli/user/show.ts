import { showCommand } from '../accounts.ts'

export const command = showCommand('Show a user', 'email', async (db, email) => {
  const { requireUser, withoutSecrets } = await import('../../accounts/users.ts')
  return withoutSecrets(await requireUser(db, email))
})
