import { changeCommand } from '../accounts.ts'

export const command = changeCommand({
  summary: 'Disable a user',
  details:
    'The user can no longer log in. All tokens of the user are revoked, even if the user is enabled again.',
  key: 'email',
  change: async (db, email) => (await import('../../accounts/users.ts')).disableUser(db, email),
  done: 'Disabled user'
})
