/** The only database whose directory is created if it is missing. For any other path, a typo must be an error. */
export const defaultDatabase = 'sqlite:./data/templates.db'

/** Default settings for PostgreSQL; docs/configuration.md explains them. Times are in seconds. */
export const postgresDefaults = {
  databasePoolSize: 10,
  /** Timeout for a connection, new or from the pool. */
  databaseConnectTimeout: 3,
  /** Timeout for a statement. */
  databaseQueryTimeout: 10,
  /** How long to keep trying to reach a server. */
  databaseStartTimeout: 30
}

/** The path of a `sqlite:` URL, or `:memory:`. */
export const sqlitePath = (url: string): string => url.slice('sqlite:'.length)

/** Whether a database exists only in the process that opens it. */
export const isInMemory = (url: string): boolean => /^sqlite:\s*(:memory:)?\s*$/.test(url)

export const isPostgres = (url: string): boolean => /^postgres(ql)?:/.test(url)

/** The forms of a database URL, for an error message. */
export const databaseUrlForm =
  '`sqlite:<path>`, `sqlite::memory:` or `postgres://<user>:<password>@<host>,<host>/<database>`'

const databaseUrl = /^(sqlite:.+|postgres(ql)?:\/\/([^,/?#\s]*@)?[^@/?#\s]*\/[^/?#\s]+(\?[^#\s]*)?)$/

/** The kinds of servers that a connection may require, as in libpq's `target_session_attrs`. */
const sessionAttributes = ['any', 'read-write', 'read-only', 'primary', 'standby', 'prefer-standby'] as const
export type SessionAttributes = (typeof sessionAttributes)[number]

export function isDatabaseUrl(text: string): boolean {
  if (!databaseUrl.test(text)) return false
  return !isPostgres(text) || (hostUrls(text).every(hasReadableAddress) && findAttributes(text) !== undefined)
}

/** Returns a URL for each host of a PostgreSQL URL. */
export function hostUrls(url: string): string[] {
  const [, before = '', hosts = '', after = ''] = /^(\w+:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/.exec(url) ?? []
  return hosts.split(',').map(host => before + host + after)
}

/** Adds a parameter to a PostgreSQL URL, unless it has one of this name. */
export function addParameter(url: string, name: string, value: string): string {
  if (new RegExp(`[?&]${name}=`).test(url)) return url
  return `${url}${url.includes('?') ? '&' : '?'}${name}=${value}`
}

/** The `target_session_attrs` of a PostgreSQL URL, `primary` by default; undefined if there is no such value. */
export function findAttributes(url: string): SessionAttributes | undefined {
  const value = new URLSearchParams(/\?(.*)$/.exec(url)?.[1]).get('target_session_attrs') ?? 'primary'
  return sessionAttributes.find(attributes => attributes === value)
}

/** Whether the driver can read host and port. It throws for a wrong escape in a host and hangs on a wrong port. */
function hasReadableAddress(url: string): boolean {
  try {
    const { hostname, searchParams } = parsePostgres(url)
    decodeURIComponent(hostname)
    const port = searchParams.get('port')
    return port === null || (/^\d{1,5}$/.test(port) && Number(port) < 65_536)
  } catch {
    return false
  }
}

/** Parses a PostgreSQL URL. If it has credentials but no host, the driver connects to localhost. */
const parsePostgres = (url: string): URL => new URL(url.replace('@/', '@localhost/'))

/** Host and path of a PostgreSQL URL, without its credentials. */
export function postgresAddress(url: string): string {
  const [, host = '', path = ''] = /^\w+:\/\/(?:[^/?#]*@)?([^/?#]*)([^?#]*)/.exec(url) ?? []
  return `${decodeURIComponent(host)}${path}`
}

/** Replaces the passwords in a database URL by `mask`, or removes them; undefined if the text is no such URL. */
export function hidePasswords(url: string, mask = ''): string | undefined {
  if (url.startsWith('sqlite:')) return url
  if (!isDatabaseUrl(url)) return undefined
  const [, address = '', query = ''] = /^([^?]*)\??(.*)$/.exec(url) ?? []
  // The password ends at the last `@` before the path.
  const shown = address.replace(
    /^(\w+:\/\/[^:/]*):[^/]*@/,
    (_all, user) => `${user.replaceAll('@', '%40')}${mask && `:${mask}`}@`
  )
  const parameters = query.split('&').map(parameter => hideSecret(parameter, mask))
  return [shown, parameters.filter(Boolean).join('&')].filter(Boolean).join('?')
}

function hideSecret(parameter: string, mask: string): string {
  // The name may be percent-encoded.
  const [decoded = ''] = new URLSearchParams(parameter).keys()
  if (!/pass|secret|token/i.test(decoded)) return parameter
  return mask && `${parameter.split('=')[0]}=${mask}`
}
