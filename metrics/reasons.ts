import type { PublicError } from '../errors.ts'

/** Why a request was refused, by what the log says of it, which may have ids in it. */
const reasons: [detail: RegExp, reason: string][] = [
  // Access tokens.
  [/^expired$|has expired$/, 'expired'],
  [/^wrong (issuer|audience)$/, 'wrong_issuer'],
  [/^unknown key$|key was removed/, 'unknown_key'],
  [/token was revoked|family was revoked/, 'revoked'],
  [/^the (user|client) (was|is) (deleted|disabled)/, 'account_ended'],
  [/^not (a JWT|a string|canonical)|claim is missing/, 'malformed'],
  [/signature/i, 'wrong_signature'],
  // Clients and logins.
  [/^unknown client$/, 'unknown_client'],
  [/^wrong secret/, 'wrong_secret'],
  [/^malformed credentials$/, 'malformed'],
  [/^unknown user$/, 'unknown_user'],
  [/^wrong password/, 'wrong_password'],
  [/is disabled$/, 'disabled'],
  [/was reused|^the code was used before/, 'token_reused'],
  [/^unknown refresh token$/, 'unknown_token'],
  [/is revoked$/, 'revoked'],
  // Limits.
  [/^requests of the address/, 'address_limit'],
  [/^token requests of client/, 'client_limit'],
  [/^failed logins of the account/, 'account_limit'],
  [/^cost of the token/, 'cost_rate'],
  [/^waiting operations of the token/, 'operations_limit'],
  [/^streams of the token|streams of changes are open/, 'streams_limit'],
  [/hash/, 'hash_queue'],
  [/^the pending responses have more/, 'pending_size'],
  // The database.
  [/SQLITE_FULL|53100|disk is full/, 'disk_full'],
  [/PTS_INDEX_NOT_READY|index of templates/, 'index_not_ready']
]

/** Finds the reason of an error: one of few, so that it can be a label. */
export function findReason({ code, detail = '', cause }: PublicError): string {
  const text = `${detail}${(cause as { code?: string } | undefined)?.code ?? ''}`
  return (
    reasons.find(([pattern]) => pattern.test(text))?.[1] ?? (code === 'unavailable' ? 'database' : 'other')
  )
}
