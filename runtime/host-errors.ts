/** The errors for hosts and commands. `errors.ts` lists all kinds. */

/** A problem of an argument. `name` is the property that has the problem, if there is one. */
interface ArgumentProblem {
  name?: string
  message: string
}

/** An argument of a host's call or of a request is wrong. The endpoint of the request reports it to the caller. */
export class ArgumentError extends Error {
  readonly code = 'PTS_BAD_ARGUMENT'
  readonly problems: ArgumentProblem[]

  constructor(message: string, problems: ArgumentProblem[] = [{ message }]) {
    super(message)
    this.name = 'ArgumentError'
    this.problems = problems
  }
}

/**
 * An account or an object of a feature cannot be added or changed: it exists already, does not exist, or is the last
 * administrator.
 */
export class StoreError extends Error {
  readonly code: 'PTS_ACCOUNT_EXISTS' | `PTS_${string}_MISSING` | 'PTS_LAST_ADMIN'
  /** The kind of object, such as `account`. */
  readonly kind: string

  constructor(code: StoreError['code'], message: string, kind = 'account') {
    super(message)
    this.name = 'StoreError'
    this.code = code
    this.kind = kind
  }
}

export const accountExists = (account: string) =>
  new StoreError('PTS_ACCOUNT_EXISTS', `${account} already exists`)
export const accountMissing = (account: string) =>
  new StoreError('PTS_ACCOUNT_MISSING', `there is no ${account}`)
export const lastAdmin = (account: string) =>
  new StoreError('PTS_LAST_ADMIN', `${account} is the last administrator`)

/** `PTS_BAD_` and what is wrong, such as `PTS_BAD_OPTION`; features have codes of their own. */
export type StartErrorCode = `PTS_BAD_${string}` | 'PTS_DATABASE_UNREACHABLE' | 'PTS_DEMO_CREDENTIALS'

/**
 * A command or the service cannot start, because of invalid settings or an unusable database. The message is one line.
 */
export class StartError extends Error {
  readonly code: StartErrorCode
  /** 2 if an operator must fix something first, 1 if a retry may succeed. */
  readonly exitCode: 1 | 2

  constructor(code: StartErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'StartError'
    this.code = code
    this.exitCode = code === 'PTS_DATABASE_UNREACHABLE' ? 1 : 2
  }
}
