/** The client of the service that the whole explorer uses, and the login. */
import { signal } from '@preact/signals'
import {
  createClient,
  GraphQLResponseError,
  LoginRequiredError,
  NetworkError,
  ResponseError,
  TimeoutError,
  type Tokens
} from '../packages/client/index.ts'
import { metaContent } from './meta.ts'
import { recall, remember } from './remembered.ts'

/** The address of the service, with a slash at its end. */
export const service = new URL(metaContent('service') || './', location.href.replace(/[?#].*$/s, ''))
/** What the service calls itself; its login leads back there. */
export const issuer = metaContent('issuer')

let tokens = recall<Tokens>('tokens')

export const client = createClient({
  url: service.href,
  auth: {
    grant: 'authorization_code',
    clientId: 'explorer',
    redirectUri: service.href,
    // With `admin`, which nobody gets without asking for it, nor without the role.
    scope: metaContent('scope'),
    issuer,
    ...(tokens && { tokens }),
    onTokens: given => {
      tokens = given && { ...given, response: { ...tokens?.response, ...given.response } }
      remember('tokens', tokens)
    }
  },
  // The page tries again by itself, and says so.
  retry: { attempts: 1 }
})

export const isLoggedIn = (): boolean => tokens !== undefined

/** Goes to the login page; it leads back to the same place. */
export async function logIn(): Promise<void> {
  remember('place', location.hash)
  await client.login()
}

/** Ends a login that the page has just come back from. Rejects if it failed. */
export async function finishLogin(): Promise<void> {
  if (!(await client.handleRedirect())) return
  history.replaceState(null, '', service.pathname + (recall<string>('place') ?? ''))
}

/** The name of the user. */
export function userName(): [first: string, last: string] {
  const { first_name: first, last_name: last } = tokens?.response ?? {}
  return [String(first ?? ''), String(last ?? '')]
}

/** The id of the user. */
export const userId = (): unknown => tokens?.response.id

/** `reader`, `editor`, `publisher` or `admin`; null if the login is no user of the service, undefined until it has been read. */
export const role = signal<string | null | undefined>(undefined)

/** Whether the user may write. */
export const mayWrite = (): boolean =>
  role.value !== 'reader' &&
  String(tokens?.response.scope ?? '')
    .split(' ')
    .includes('write')

/** Whether the user may also delete templates, and change whether they are public. */
export const mayPublish = (): boolean => mayWrite() && role.value !== 'editor'

/** Why the service wrote nothing: the user may not, or it takes too long; undefined for all other errors. */
export function refusalOf(error: unknown): string | undefined {
  if (!(error instanceof GraphQLResponseError)) return undefined
  if (error.codes.includes('TIMEOUT') && error.message.includes('nothing of this change was written'))
    return 'Nothing was changed: for so many templates, it takes longer than the service allows. Choose fewer.'
  if (!error.codes.includes('FORBIDDEN')) return undefined
  if (error.message.includes('the right to publish'))
    return 'Only a publisher can do this: it would delete a template or change “Public”.'
  return error.message.includes('that your account may write')
    ? 'Your account may write only some templates, and with this change it would be none of them.'
    : 'Your login may read, not change.'
}

export const isLoginMissing = (error: unknown): boolean => error instanceof LoginRequiredError

/** Whether the service cannot be reached, or is not ready: it may answer later. */
export const isOutage = (error: unknown): boolean =>
  error instanceof NetworkError ||
  error instanceof TimeoutError ||
  (error instanceof ResponseError && [429, 500, 502, 503, 504].includes(error.status))
