/** The only database whose missing directory is created. A path with a typo must fail instead. */
export const defaultDatabase = 'sqlite:./data/templates.db'

/** Default settings for PostgreSQL; docs/configuration.md explains them. */
export const postgresDefaults = {
  databasePoolSize: 10,
  databaseConnectTimeout: 3,
  databaseQueryTimeout: 10,
  databaseStartTimeout: 30
}

/** The path of a `sqlite:` URL, or `:memory:`. */
export const sqlitePath = (url: string): string => url.slice('sqlite:'.length)

export const isPostgres = (url: string): boolean => /^postgres(ql)?:/.test(url)

/** Host and path of a PostgreSQL URL, without its credentials. */
export function postgresAddress(url: string): string {
  const { host, pathname } = new URL(url)
  return `${decodeURIComponent(host)}${pathname}`
}
