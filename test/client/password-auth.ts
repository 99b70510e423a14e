import { client, user } from '../support/service/service.ts'

/** Makes the client log in as the user of the tests. */
export const passwordAuth = {
  grant: 'password',
  clientId: client.id,
  clientSecret: client.secret,
  username: user.email,
  password: user.password
} as const
