/** Values that come as JSON from elsewhere: what they are, where they are, and which of them are absent. */

/** Parses a JSON text; undefined if it is not one. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Returns the line and the column of a character in a text, both from 1. */
export function findPosition(text: string, offset: number): { line: number; column: number } {
  const lines = text.slice(0, offset).split('\n')
  return { line: lines.length, column: (lines.at(-1) ?? '').length + 1 }
}

/** Whether a JSON value is an object. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Parses the JSON text of an object; undefined if it is not one. */
export function parseObject(text: string): Record<string, unknown> | undefined {
  const value = parseJson(text)
  return isObject(value) ? value : undefined
}

/** Removes null and undefined values. */
export const present = (given: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null && value !== undefined))

/** An integer as JSON writes it. */
export const integer = /^(?:0|-?[1-9]\d*)$/

/** Parses an integer; undefined if it is not one, or if no JavaScript number equals it. */
export function parseInteger(text: string): number | undefined {
  const number = integer.test(text) ? Number(text) : undefined
  return Number.isSafeInteger(number) ? number : undefined
}
