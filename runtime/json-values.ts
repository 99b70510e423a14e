/** Parses, measures and describes JSON values from clients and other programs. */

/** Parses a JSON text; undefined if it is not one. */
export function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * Measures a JSON text without parsing it: the levels of its objects and lists, and the lines and characters that it
 * has if JSON.stringify indents it by two. The text may be invalid.
 */
export function measureJson(text: string): { levels: number; lines: number; characters: number } {
  const size = { levels: 0, lines: 1, characters: text.length }
  let depth = 0
  let previous = ''
  const addLines = (lines: 1 | -1) => {
    size.lines += lines
    size.characters += lines * (1 + 2 * depth)
  }
  for (let at = 0; at < text.length; at++) {
    const character = text[at] as string
    if (character <= ' ') {
      size.characters--
      continue
    }
    if (character === '"') at = findEndOfString(text, at)
    else if (character === ':') size.characters++
    else if (character === ',') addLines(1)
    else if (character === '{' || character === '[') {
      depth++
      size.levels = Math.max(size.levels, depth)
      addLines(1)
    } else if (character === '}' || character === ']') {
      const isEmpty = previous === '{' || previous === '['
      // Nothing is between the brackets, so they stay together.
      if (isEmpty) addLines(-1)
      depth = Math.max(0, depth - 1)
      if (!isEmpty) addLines(1)
    }
    previous = character
  }
  return size
}

/** Maximum levels of objects and lists, values in all of them, and different names of properties. */
interface JsonBounds {
  levels: number
  values: number
  names: number
}

/**
 * Describes the part of a JSON text that exceeds the bounds; undefined for a text within them, which may be no JSON.
 * Does not parse the text, because that takes long for many levels, values or names. An empty object or list counts as
 * two values.
 */
export function findJsonExcess(text: string, bounds: JsonBounds): string | undefined {
  const names = new Set<string>()
  let levels = 0
  let values = 0
  for (let at = 0; at < text.length; at++) {
    const character = text[at]
    // A value is the first of an object or a list, or it is behind a comma.
    if (character === '[' || character === '{' || character === ',') values++
    if (character === '[' || character === '{') levels++
    else if (character === ']' || character === '}') levels--
    else if (character === '"') {
      const end = findEndOfString(text, at)
      if (isName(text, end)) names.add(text.slice(at, end))
      at = end
    }
    if (levels > bounds.levels) return `more than ${bounds.levels} levels`
    if (values > bounds.values) return `more than ${bounds.values} values`
    if (names.size > bounds.names) return `more than ${bounds.names} different names`
  }
  return undefined
}

/** Returns the place of the quote that ends a string, or the end of the text. */
function findEndOfString(text: string, begin: number): number {
  let end = text.indexOf('"', begin + 1)
  while (end > 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end < 0 ? text.length : end
}

function isEscaped(text: string, place: number): boolean {
  let before = place
  while (text[before - 1] === '\\') before--
  return (place - before) % 2 === 1
}

/** Whether a colon follows the end of a string. */
function isName(text: string, end: number): boolean {
  let next = end + 1
  while (next < text.length && ' \t\n\r'.includes(text[next] as string)) next++
  return text[next] === ':'
}

/** Returns the line and the column of a character in a text, both from 1. */
export function findPosition(text: string, offset: number): { line: number; column: number } {
  const lines = text.slice(0, offset).split('\n')
  return { line: lines.length, column: (lines.at(-1) ?? '').length + 1 }
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Parses the JSON text of an object; undefined if it is not one. */
export function parseObject(text: string): Record<string, unknown> | undefined {
  const value = tryParseJson(text)
  return isObject(value) ? value : undefined
}

/** Removes null and undefined values. */
export const omitNullish = (object: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null && value !== undefined))

/** An integer as JSON writes it. */
export const integer = /^(?:0|-?[1-9]\d*)$/

/** Parses an integer; undefined if it is not one, or if no JavaScript number equals it. */
export function parseInteger(text: string): number | undefined {
  const number = integer.test(text) ? Number(text) : undefined
  return Number.isSafeInteger(number) ? number : undefined
}
