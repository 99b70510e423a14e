import type { OptionValues } from 'commander'
import measure from 'fast-string-truncated-width'
import { unprintable } from '../domain/text.ts'
import { isObject } from '../runtime/json-values.ts'

/** The option of a command that prints a result. */
export const jsonOption = { '--json': 'print JSON' }

/** Prints the result of a command: a sentence on stderr or, with --json, the result itself on stdout. */
export function printResult(options: OptionValues, result: object, sentence: string): void {
  if (options.json) printJson(result)
  else console.error(toPlainText(sentence))
}

/** Prints a result like {@link printResult}. Without --json, also prints its new secret on stdout. */
export function printSecret(
  options: OptionValues,
  result: { secret: string; [field: string]: unknown },
  sentence: string
): void {
  process.stdout.prependListener('error', () => {
    console.error('product-templates: the new secret could not be printed. Make another one.')
    process.exit(1)
  })
  printResult(options, result, sentence)
  if (!options.json) console.log(result.secret)
}

/** Prints a result on stdout as JSON. */
export const printJson = (result: object): void => console.log(formatJson(result))

/** Prints rows as aligned columns or, with --json, prints `json`. On a terminal, columns are cut to its width. */
export function printList(options: OptionValues, rows: object[], json: object = rows): void {
  if (options.json) return void printJson(json)
  const cells = rows.map(row => Object.values(row).map(value => toPlainLine(toText(value))))
  const table = [Object.keys(rows[0] ?? {}), ...cells]
  for (const line of formatTable(table, process.stdout.isTTY ? process.stdout.columns : undefined))
    console.log(line)
}

/** Formats a list as its elements, and any other object as JSON. */
const toText = (value: unknown): string => (isObject(value) ? JSON.stringify(value) : String(value ?? ''))

const gap = 2
const ellipsis = '…'
/** Minimum width of a column that is cut, in characters of the terminal. */
const minWidth = 6

/** Aligns cells in columns. Cuts the cells of the widest columns if a line would be longer than `limit`. */
export function formatTable(table: string[][], limit = Number.POSITIVE_INFINITY): string[] {
  const widths = (table[0] ?? []).map((_, column) =>
    Math.max(...table.map(cells => width(cells[column] ?? '')))
  )
  for (let excess = sumWidths(widths) - limit; excess > 0; excess = sumWidths(widths) - limit) {
    const [widest = 0, next = 0] = widths.toSorted((a, b) => b - a)
    if (widest <= minWidth) break
    // Narrows the widest column to the width of the next one, or only as far as necessary.
    const narrower = Math.max(minWidth, Math.min(widest - 1, Math.max(next, widest - excess)))
    widths[widths.indexOf(widest)] = narrower
  }
  return table.map(cells =>
    cells
      .map((cell, column) => fitCell(cell, widths[column] ?? 0))
      .join(' '.repeat(gap))
      .trimEnd()
  )
}

const sumWidths = (widths: number[]): number =>
  widths.reduce((sum, each) => sum + each, (widths.length - 1) * gap)

const width = (text: string): number => measure(text).width

/** Cuts or pads a text to a width in the terminal, where a character may be two columns wide. */
function fitCell(text: string, limit: number): string {
  const { index, ellipsed, width } = measure(text, { limit, ellipsis })
  const shown = ellipsed ? `${text.slice(0, index)}${ellipsis}` : text
  return shown + ' '.repeat(Math.max(0, limit - width - (ellipsed ? 1 : 0)))
}

/** Collects notes, such as assumptions about files, and prints them unless `isQuiet`. */
export function collectNotes(isQuiet = false) {
  const notes: string[] = []
  const note = (message: string): void => {
    notes.push(message)
    if (!isQuiet) console.error(toPlainLine(message))
  }
  return { notes, note }
}

const unsafe = new RegExp(`[${unprintable}]`, 'g')

/** Replaces characters that could control the terminal or change the direction of text. Keeps tabs and line feeds. */
export const toPlainText = (text: string): string =>
  text.replace(unsafe, character => ('\t\n'.includes(character) ? character : '\u{FFFD}'))

/** Like {@link toPlainText}, but also replaces tabs and line feeds. */
export const toPlainLine = (text: string): string => text.replace(unsafe, '\u{FFFD}')

/** Formats JSON. Escapes unsafe characters instead of replacing them, so that the value stays the same. */
export const formatJson = (value: unknown): string =>
  JSON.stringify(value, null, 2).replace(unsafe, character =>
    character === '\n' ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  )
