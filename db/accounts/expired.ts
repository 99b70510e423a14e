import type { Db } from '../schema.ts'
import { clockSkewSeconds, secondsAgo, timestamp } from '../timestamp.ts'
import type { SessionLifetime } from './logins/sessions.ts'

/** Seconds after its expiry in which the second use of an authorization code is noticed, RFC 6749 §4.1.2. */
const usedCodeMemory = 86_400

/** Seconds in which dead messages to webhooks can be sent again: 30 days. */
const deadMessageMemory = 2_592_000

/** Makes the queries that delete what has expired by the clock of every instance. `accessTokenTtl` is in seconds. */
export const expiredRows = (
  db: Db,
  { accessTokenTtl, sessionTtl, sessionIdleTtl }: SessionLifetime & { accessTokenTtl: number }
) => [
  db.deleteFrom('product_revoked_token').where('time_expires', '<', secondsAgo(clockSkewSeconds)),
  // An access token issued at the very end of a family still belongs to it.
  db
    .deleteFrom('product_token_family')
    .where('time_expires', '<', secondsAgo(accessTokenTtl + clockSkewSeconds)),
  db
    .updateTable('product_client')
    .set({ previous_secret_hash: null, time_previous_expires: null })
    .where('time_previous_expires', '<=', timestamp()),
  db.deleteFrom('product_password_link').where('time_expires', '<', secondsAgo(clockSkewSeconds)),
  db.deleteFrom('product_provider_login').where('time_expires', '<', secondsAgo(clockSkewSeconds)),
  db.deleteFrom('product_passkey_challenge').where('time_expires', '<', secondsAgo(clockSkewSeconds)),
  db.deleteFrom('product_attempt').where('time_ends', '<', timestamp()),
  // The second use of a code ends the tokens of the first one. An unused code has none.
  db
    .deleteFrom('product_authorization_code')
    .where('time_expires', '<', secondsAgo(clockSkewSeconds))
    .where(({ or, eb }) =>
      or([eb('time_used', 'is', null), eb('time_expires', '<', secondsAgo(usedCodeMemory))])
    ),
  db
    .deleteFrom('product_session')
    .where(({ or, eb }) =>
      or([eb('time_created', '<', secondsAgo(sessionTtl)), eb('time_used', '<', secondsAgo(sessionIdleTtl))])
    ),
  db
    .updateTable('product_webhook')
    .set({ previous_secret: null, time_previous_expires: null })
    .where('time_previous_expires', '<=', timestamp()),
  db
    .deleteFrom('product_webhook_delivery')
    .where('dead', '=', 1)
    .where('time_tried', '<', secondsAgo(deadMessageMemory))
]
