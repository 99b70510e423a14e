import '../runtime/package/node-version.ts'

export { bearerAuth } from './authentication/bearer-auth.ts'
export { clientAuth } from './authentication/client-auth.ts'
export {
  type AccessTokenClaims,
  type IssuedToken,
  type Tokens,
  type TokensOptions,
  tokens
} from './authentication/tokens.ts'
export { type StoreOptions, store } from './store.ts'
