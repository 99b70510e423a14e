/** What errors of the databases mean, whoever opened the connection: by the codes of SQLite, PostgreSQL and the system. */

/**
 * A transaction that another one got in the way of, and that may be run again from its start. A key that
 * is there twice can be such a case, PostgreSQL 13.5.
 */
export function isRetryable(error: unknown): boolean {
  return ['40001', '40P01', '23505'].includes(codeOf(error))
}

/**
 * The database cannot answer now: unreachable, stopping, full, locked for too long. The request is in
 * order and may come again later.
 */
export function isUnavailable(error: unknown): boolean {
  return unavailableCode.test(codeOf(error)) || unavailableText.test((error as Error)?.message ?? '')
}

const unavailableCode = new RegExp(
  [
    'PTS_INDEX_NOT_READY',
    // SQLite's result codes, with their extensions.
    'SQLITE_(BUSY|LOCKED|FULL|IOERR|READONLY|CANTOPEN)(_.*)?',
    // PostgreSQL, appendix A: connections, read-only, conflicts that did not end, resources, locks, stopping.
    '08...|25006|40...|53...|55P03|57014|57P0[1-5]|58...',
    // Node.js.
    'ECONN.*|EPIPE|ETIMEDOUT|EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|ENETDOWN|ENOTFOUND|EAI_AGAIN|EMFILE|ENFILE'
  ]
    .map(codes => `^(?:${codes})$`)
    .join('|')
)

/** pg gives these no code. */
const unavailableText =
  /^(Connection terminated|timeout exceeded when trying to connect|Query read timeout|timeout expired|Client has encountered a connection error)/

const codeOf = (error: unknown): string => String((error as { code?: unknown } | null)?.code ?? '')

/** The index that finds templates lacks some of them, for a while. What does not need it can be answered. */
export class IndexNotReady extends Error {
  readonly code = 'PTS_INDEX_NOT_READY'
}
