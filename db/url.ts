/** The one database whose directory is made when it is missing: a path with a slip in it must not grow one. */
export const defaultDatabase = 'sqlite:./data/templates.db'

/** What holds for PostgreSQL where nothing else is said: docs/configuration.md tells what each means. */
export const postgresDefaults = {
  databasePoolSize: 10,
  databaseConnectTimeout: 3,
  databaseQueryTimeout: 10,
  databaseStartTimeout: 30
}

/** The path of a `sqlite:` URL, or `:memory:`. */
export const sqlitePath = (url: string): string => url.slice('sqlite:'.length)

export const isPostgres = (url: string): boolean => /^postgres(ql)?:/.test(url)

/** Where a PostgreSQL URL leads, without its credentials. */
export function postgresAddress(url: string): string {
  const { host, pathname } = new URL(url)
  return `${decodeURIComponent(host)}${pathname}`
}
