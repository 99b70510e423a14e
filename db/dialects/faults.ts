/** Classifies database errors by the codes of SQLite, PostgreSQL and the system. */

/** Whether a concurrent transaction made this one fail. A duplicate key can be such a failure (PostgreSQL 13.5). */
export function isConflict(error: unknown): boolean {
  const code = codeOf(error)
  if (code === '23505') return lookedUpKeys.has(String((error as { constraint?: unknown }).constraint))
  return ['40001', '40P01'].includes(code)
}

/**
 * Keys that a transaction looks up before it inserts them. When it runs again, it finds the row of the other
 * transaction. Any other duplicate key is an error, such as in an index that the operator added. SQLite has no
 * concurrent writers.
 */
const lookedUpKeys = new Set([
  'product_client_pkey',
  'product_idempotency_pkey',
  'product_refresh_token_turn',
  'product_template_pkey',
  'product_user_email_key',
  'product_user_wallet_key'
])

/**
 * Whether the server refused to execute a prepared statement. Either a column of its result has changed, or a pooler
 * shares connections and ignores prepared statements (26000: it does not exist, 42P05: it exists already).
 */
export function isRefusedStatement(error: unknown): error is { code: '0A000' | '26000' | '42P05' } {
  const { code, routine } = (error ?? {}) as { code?: string; routine?: string }
  return code === '26000' || code === '42P05' || (code === '0A000' && routine === 'RevalidateCachedQuery')
}

/** Whether the database is temporarily unavailable: unreachable, shutting down, full or locked. Clients may retry. */
export function isUnavailable(error: unknown): boolean {
  return (
    unavailableCode.test(codeOf(error)) ||
    unavailableText.test((error as Error)?.message ?? '') ||
    isRefusedStatement(error)
  )
}

const unavailableCode = new RegExp(
  [
    'PTS_NOT_READY',
    'PTS_REPLICA_FAILED',
    // SQLite's result codes, including extended ones.
    'SQLITE_(BUSY|LOCKED|FULL|IOERR|READONLY|CANTOPEN)(_.*)?',
    // PostgreSQL, appendix A: connections, standby servers, prepared statements, persistent conflicts, resources,
    // locks, shutdown.
    '08...|25006|26000|40...|42P05|53...|55P03|57014|57P0[1-5]|58...',
    // Node.js.
    'ECONN.*|EPIPE|ETIMEDOUT|EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|ENETDOWN|ENOTFOUND|EAI_AGAIN|EMFILE|ENFILE'
  ]
    .map(codes => `^(?:${codes})$`)
    .join('|')
)

/** Whether an error is an answer of a PostgreSQL server. Otherwise its statement may still run. */
export const isServerError = (error: unknown): boolean =>
  (error as { severity?: unknown } | null)?.severity !== undefined

/** Describes a fault of a database in a few words. */
export function nameFault(error: unknown): string {
  const code = codeOf(error)
  if (code === 'SQLITE_READONLY_DBMOVED') return 'the file is gone or was replaced'
  if (/^(SQLITE_FULL|ENOSPC|EDQUOT|EFBIG|53100)$/.test(code)) return 'disk full'
  if (/^(SQLITE_READONLY.*|EROFS|EACCES|EPERM|25006)$/.test(code)) return 'read-only'
  return isUnavailable(error) ? 'unreachable' : 'failed'
}

/** Errors of pg without a code. */
const unavailableText =
  /^(Connection terminated|timeout exceeded when trying to connect|Query read timeout|timeout expired|Client has encountered a connection error)/

/** Returns the code of an error; an empty text if it has none. */
export const codeOf = (error: unknown): string => String((error as { code?: unknown } | null)?.code ?? '')

/** The index of templates or the hashes of revisions are incomplete. Operations that need neither still work. */
export class NotReady extends Error {
  readonly code = 'PTS_NOT_READY'
}

/** A replica has failed in the middle of a read. It is not used for a while, so the next attempt reads the database. */
export class ReplicaFailed extends Error {
  readonly code = 'PTS_REPLICA_FAILED'

  constructor(cause: unknown) {
    super('the replica has failed', { cause })
  }
}
