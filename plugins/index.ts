import '../runtime/node-version.ts'

export { bearerAuth } from './bearer-auth.ts'
export { clientAuth } from './client-auth.ts'
export { type StoreOptions, store } from './store.ts'
export {
  type AccessTokenClaims,
  type IssuedToken,
  type Tokens,
  type TokensOptions,
  tokens
} from './tokens.ts'
