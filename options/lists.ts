/** Splits a list with spaces or commas. */
export const toEntries = (list: string): string[] => list.split(/[\s,]+/).filter(Boolean)

/** Splits a list of names, which may have spaces. */
export const toNames = (list: string): string[] =>
  list
    .split(',')
    .map(name => name.trim())
    .filter(Boolean)
