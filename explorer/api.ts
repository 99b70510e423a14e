import { signal } from '@preact/signals'
import type { ErrorReason } from '../graphql/errors.ts'
import { isTemporary } from '../packages/client/errors.ts'
import {
  createClient,
  GraphQLResponseError,
  LoginRequiredError,
  ResponseError,
  type Tokens
} from '../packages/client/index.ts'
import { metaContent } from './meta.ts'
import { loadForTab, saveForTab } from './storage.ts'

/** The address of the service, with a trailing slash. */
export const service = new URL(metaContent('service') || './', location.href.replace(/[?#].*$/s, ''))
/** The `ISSUER` of the service. Its login redirects to this address. */
export const issuer = metaContent('issuer')

let tokens = loadForTab<Tokens>('tokens')

export const client = createClient({
  url: service.href,
  auth: {
    grant: 'authorization_code',
    clientId: 'explorer',
    redirectUri: service.href,
    // Includes `admin`, which is granted only on request, and only to users with the role.
    scope: metaContent('scope'),
    issuer,
    ...(tokens && { tokens }),
    onTokens: given => {
      tokens = given && { ...given, response: { ...tokens?.response, ...given.response } }
      saveForTab('tokens', tokens)
    }
  },
  // `read` retries instead, and shows the outage.
  retry: { attempts: 1 }
})

export const isLoggedIn = (): boolean => tokens !== undefined

/** Goes to the login page, which redirects back to the same route. */
export async function logIn(): Promise<void> {
  saveForTab('place', location.hash)
  await client.login()
}

/** Finishes a login after the redirect. Rejects if the login failed. */
export async function finishLogin(): Promise<void> {
  if (!(await client.handleRedirect())) return
  history.replaceState(null, '', service.pathname + (loadForTab<string>('place') ?? ''))
}

export function userName(): [first: string, last: string] {
  const { first_name: first, last_name: last } = tokens?.response ?? {}
  return [String(first ?? ''), String(last ?? '')]
}

export const userId = (): unknown => tokens?.response.id

/**
 * The role of the user; null if the login does not belong to a user of the service, undefined until it has been read.
 */
export const role = signal<string | null | undefined>(undefined)

/** The rule of the user as JSON; null if there is none, undefined until it has been read. */
export const rule = signal<string | null | undefined>(undefined)

/** The e-mail address of the user; empty until it has been read, and without a user of the service. */
export const email = signal('')

/** Whether the user may change templates. */
export const mayWrite = (): boolean =>
  role.value !== 'reader' &&
  String(tokens?.response.scope ?? '')
    .split(' ')
    .includes('write')

/** Whether the user may also delete templates and change `publicProduct`. */
export const mayPublish = (): boolean => mayWrite() && role.value !== 'editor'

/** The texts of the page for the `reason` of an error. */
const refusals: Record<ErrorReason, string> = {
  NOTHING_WRITTEN:
    'Nothing was changed: changing so many templates takes longer than the service allows. Choose fewer.',
  NO_RIGHT_TO_PUBLISH: 'Only a publisher can do this: it would delete a template or change “Public”.',
  OUTSIDE_RULE: 'Your account may write only some templates, and not one with these values.',
  MISSING_SCOPE: 'Your login may read, not change.'
}

/** Describes why the service refused a write. Undefined for all other errors. */
export function refusalOf(error: unknown): string | undefined {
  if (!(error instanceof GraphQLResponseError)) return undefined
  return error.errors.map(({ extensions }) => refusals[extensions?.reason as ErrorReason]).find(Boolean)
}

export const isLoginMissing = (error: unknown): boolean => error instanceof LoginRequiredError

/** Describes why a write failed. `noAnswer`: what to say if the service may have executed it. */
export function describeFailure(
  error: unknown,
  noAnswer = 'The service did not answer. Check whether the change was made before you try again.'
): string {
  if (isLoginMissing(error)) return 'Your login has ended. Nothing was changed: log in again.'
  const refusal = refusalOf(error)
  if (refusal !== undefined) return refusal
  return isUnsure(error) ? noAnswer : `The service refused this: ${(error as Error).message}.`
}

/** Whether the service may have executed a failed write. */
export const isUnsure = (error: unknown): boolean =>
  !(isLoginMissing(error) || error instanceof ResponseError) || isOutage(error)

/** Whether the service is unreachable or not ready, so that a later attempt may succeed. */
export const isOutage = (error: unknown): boolean =>
  isTemporary(error) || (error instanceof ResponseError && error.status === 500)
