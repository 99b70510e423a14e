/** Cost of a password hash, RFC 9106; the memory is in KiB. */
export interface PasswordCost {
  passwordMemory: number
  passwordIterations: number
  passwordParallelism: number
}

/** OWASP's first recommendation for argon2id. */
export const defaultPasswordCost: PasswordCost = {
  passwordMemory: 47_104,
  passwordIterations: 1,
  passwordParallelism: 1
}
