/** Splits a list at spaces and commas. */
export const toEntries = (list: string): string[] => list.split(/[\s,]+/).filter(Boolean)

/** Splits a list at commas only, because the names in it may have spaces. */
export const toNames = (list: string): string[] =>
  list
    .split(',')
    .map(name => name.trim())
    .filter(Boolean)
