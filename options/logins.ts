import { defaultPasswordCost } from '../credentials/password-cost.ts'
import { Type } from './types.ts'

/** Settings of the limits on OAuth requests, and of password hashes. */
export const loginSettings = {
  addressLimit: Type.Integer({
    env: 'ADDRESS_LIMIT',
    default: 600,
    minimum: 0,
    maximum: 1_000_000,
    description:
      'requests per minute from one address to the OAuth endpoints; WORKERS count together; 0 for no limit'
  }),
  clientLimit: Type.Integer({
    env: 'CLIENT_LIMIT',
    default: 6000,
    minimum: 0,
    maximum: 1_000_000,
    description: 'token requests per minute from one client with a secret; 0 for no limit'
  }),
  accountLimit: Type.Integer({
    env: 'ACCOUNT_LIMIT',
    default: 10,
    minimum: 0,
    maximum: 1_000_000,
    description: 'failed logins per account and window; 0 for no limit'
  }),
  accountWindow: Type.Integer({
    env: 'ACCOUNT_WINDOW',
    default: 900,
    minimum: 1,
    maximum: 86_400,
    description: 'length of that window in seconds; an account is locked no longer than this'
  }),
  passwordMemory: Type.Integer({
    env: 'PASSWORD_MEMORY',
    default: defaultPasswordCost.passwordMemory,
    minimum: 7_168,
    maximum: 4_194_304,
    description: 'argon2id memory for new password hashes, in KiB'
  }),
  passwordIterations: Type.Integer({
    env: 'PASSWORD_ITERATIONS',
    default: defaultPasswordCost.passwordIterations,
    minimum: 1,
    maximum: 64,
    description: 'argon2id iterations for new password hashes'
  }),
  passwordParallelism: Type.Integer({
    env: 'PASSWORD_PARALLELISM',
    default: defaultPasswordCost.passwordParallelism,
    minimum: 1,
    maximum: 64,
    description: 'argon2id parallelism for new password hashes'
  })
}
