import { t } from 'tap'
import { formatOAuthError } from '../../../routes/oauth/protocol.ts'
import * as errors from '../../../runtime/errors.ts'

/** RFC 6749 §5.2, RFC 6750 §3.1 and RFC 8707 §2, and two of the authorization endpoint, RFC 6749 §4.1.2.1. */
const registered =
  'invalid_request invalid_client invalid_grant invalid_scope unauthorized_client unsupported_grant_type invalid_token insufficient_scope invalid_target temporarily_unavailable server_error'

/** Errors that the OAuth endpoints do not throw. */
const others = [
  'accessDenied',
  'consentRequired',
  'loginRequired',
  'needsEvents',
  'notAcceptable',
  'notFound',
  'requestNotSupported',
  'requestUriNotSupported',
  'unsupportedResponseType'
]

t.test('every error of an OAuth endpoint has a registered code', async t => {
  const { ignoreInvalidToken: _, returnPublicError: __, ...makers } = errors
  const unregistered = Object.entries(makers).flatMap(([name, make]) => {
    const error = /^[A-Z]/.test(name) ? undefined : (make as (detail: string) => unknown)('x')
    if (!(error instanceof errors.PublicError)) return []
    return registered.split(' ').includes(formatOAuthError(error).error) ? [] : [name]
  })
  t.same(unregistered.sort(), others, 'give a new error a registered code, or list it here')
})
