/** Cells as text between programs: tabs between cells, line breaks between rows, quotes around what has one of them. */

export const writeTsv = (rows: string[][]): string => rows.map(row => row.map(quote).join('\t')).join('\n')

const quote = (text: string): string => (/[\t\r\n]|^"/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

/** A cell with what follows it. Spreadsheets quote only a cell that needs it, so `"Lamp"` keeps its quotes. */
const cell = /(?:"((?=[^"]*(?:[\t\r\n]|""))(?:[^"]|"")*)"(?=[\t\r\n]|$)|([^\t\r\n]*))(\t|\r\n?|\n|$)/y

export function readTsv(text: string): string[][] {
  const rows: string[][] = [[]]
  // The last line break ends the last row.
  const whole = text.replace(/(?:\r\n?|\n)$/, '')
  cell.lastIndex = 0
  for (;;) {
    const [, quoted, plain = '', end = ''] = cell.exec(whole) ?? []
    rows.at(-1)?.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'))
    if (end === '') return rows
    if (end !== '\t') rows.push([])
  }
}
