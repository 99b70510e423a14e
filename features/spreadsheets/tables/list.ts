import { tryParseExactly } from './cell.ts'

/** An item in quotes, with quotes in it twice; a number; a separator; or other text. */
const tokens =
  /(?<=(?:^|[,;\r\n])\s*)"((?:[^"]|"")*)"(?=\s*(?:[,;\r\n]|$))|(?<!\d[.,]?)(?:\d{1,3}(?:[.,]\d{3})+(?:[.,]\d+)?|\d+[.,]\d+)(?![.,]?\d)|[,;\r\n]|[^",;\r\n\d]+|[\s\S]/g

/**
 * Splits a list of texts. It is a JSON list, or its items are separated by semicolons and line breaks or, without
 * these, by commas. An item may be in quotes. A comma inside a number separates nothing.
 */
export function splitList(text: string): string[] {
  const parsed = text.startsWith('[') ? parseList(text) : undefined
  if (parsed) return parsed.map(item => (typeof item === 'string' ? item : JSON.stringify(item)))
  const [, bracketed = text] = /^\[([^[\]]*)\]$/.exec(text) ?? []
  const found = [...bracketed.matchAll(tokens)]
  const separator = found.some(([token]) => /^[;\r\n]/.test(token)) ? /^[;\r\n]$/ : /^,$/
  const items = ['']
  for (const [token, quoted] of found)
    if (quoted === undefined && separator.test(token)) items.push('')
    else items.push(items.pop() + (quoted?.replaceAll('""', '"') ?? token))
  return items.map(item => item.trim()).filter(item => item !== '')
}

/** Parses a list in JSON, or in apostrophes as Python writes it. */
function parseList(text: string): unknown[] | undefined {
  const list = tryParseExactly(text) ?? tryParseExactly(text.replaceAll("'", '"'))
  return Array.isArray(list) ? list : undefined
}
