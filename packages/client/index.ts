/** A typed client of the service for browsers and Node.js, without dependencies. */
export type {
  Auth,
  AuthorizationCodeAuth,
  ClientCredentialsAuth,
  GrantAuth,
  LoginStorage,
  PasswordAuth,
  RefreshTokenAuth,
  Tokens
} from './auth.ts'
export type { ChangeEvent, ChangesOptions } from './changes.ts'
export { type Client, type ClientOptions, createClient } from './client.ts'
export type { Clock } from './clock.ts'
export type { ResultOf, TypedDocument } from './document.ts'
export {
  ClientError,
  type GraphQLErrorEntry,
  GraphQLResponseError,
  LoginRequiredError,
  NetworkError,
  OAuthError,
  ResponseError,
  TimeoutError
} from './errors.ts'
export type { RequestOptions } from './operations.ts'
export type { UploadedPicture } from './pictures.ts'
export type { Product, ProductOptions, ProductPage, ProductsOptions } from './products.ts'
export type { RetryOptions } from './retry.ts'
export type * from './schema.ts'
export type { Select } from './select.ts'
