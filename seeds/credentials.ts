/** The demo credentials. They are public, so they must not be used on a network. */
export const demo = {
  clientId: 'demo-client',
  clientSecret: 'demo-secret',
  email: 'demo@example.com',
  password: 'demo-password'
} as const
