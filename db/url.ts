/** The one database whose directory is made when it is missing: a path with a slip in it must not grow one. */
export const defaultDatabase = 'sqlite:./data/templates.db'

/** The path of a `sqlite:` URL, or `:memory:`. */
export const sqlitePath = (url: string): string => url.slice('sqlite:'.length)
