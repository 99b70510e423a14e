/** Splits a list at spaces and commas. */
export const toEntries = (list: string): string[] => list.split(/[\s,]+/).filter(Boolean)

/** Splits a list at commas only, because the names in it may have spaces. */
export const toNames = (list: string): string[] => split(list, ',')

/** Splits a list at line breaks. */
export const toLines = (list: string): string[] => split(list, '\n')

const split = (list: string, separator: string): string[] =>
  list
    .split(separator)
    .map(entry => entry.trim())
    .filter(Boolean)
