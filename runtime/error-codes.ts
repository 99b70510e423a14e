/** The code of a response. OAuth has registered the codes of the first three groups, except `missing_token`. */
export type ErrorCode =
  // The token endpoint, RFC 6749 §5.2, RFC 8707 §2.
  | 'invalid_client'
  | 'invalid_grant'
  | 'invalid_request'
  | 'invalid_scope'
  | 'invalid_target'
  | 'unauthorized_client'
  | 'unsupported_grant_type'
  // The authorization endpoint, RFC 6749 §4.1.2.1, OpenID Connect Core 1.0 §3.1.2.6.
  | 'access_denied'
  | 'consent_required'
  | 'login_required'
  | 'request_not_supported'
  | 'request_uri_not_supported'
  | 'temporarily_unavailable'
  | 'unsupported_response_type'
  // Bearer tokens, RFC 6750 §3.1.
  | 'insufficient_scope'
  | 'invalid_token'
  | 'missing_token'
  // HTTP.
  | 'bad_request'
  | 'forbidden'
  | 'insufficient_storage'
  | 'internal_server_error'
  | 'method_not_allowed'
  | 'not_acceptable'
  | 'not_found'
  | 'unavailable'
  | 'unsupported_media_type'

/** Why a request was refused: a label of the metrics. `other` stands for all reasons without their own count. */
export type Reason =
  // Access tokens, clients and logins.
  | 'account_ended'
  | 'disabled'
  | 'expired'
  | 'malformed'
  | 'revoked'
  | 'token_reused'
  | 'unknown_client'
  | 'unknown_key'
  | 'unknown_token'
  | 'unknown_user'
  | 'wrong_issuer'
  | 'wrong_password'
  | 'wrong_secret'
  | 'wrong_signature'
  // Limits.
  | 'account_limit'
  | 'address_limit'
  | 'client_limit'
  | 'cost_rate'
  | 'hash_queue'
  | 'operations_limit'
  | 'pending_size'
  | 'streams_limit'
  // The database.
  | 'database'
  | 'disk_full'
  | 'not_ready'
  | 'other'
