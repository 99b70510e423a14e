/** Counts the characters of a text: code points, as JSON Schema and SQL do. `length` counts UTF-16 units. */
export function countCharacters(text: string): number {
  let count = 0
  for (const _character of text) count++
  return count
}

/** Whether a text has more characters than allowed. Counts them only if their number is in doubt. */
export const hasMoreCharacters = (text: string, max: number): boolean =>
  text.length > max && (text.length > 2 * max || countCharacters(text) > max)
