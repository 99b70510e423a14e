/** Prints rows as JSON or as aligned columns, on stdout. */
export function printList(rows: Record<string, string | string[] | boolean>[], json: boolean): void {
  if (json) {
    console.log(JSON.stringify(rows, null, 2))
    return
  }
  const names = Object.keys(rows[0] ?? {})
  const table = [names, ...rows.map(row => names.map(name => toLine(String(row[name]))))]
  const widths = names.map((_, column) => Math.max(...table.map(cells => cells[column]?.length ?? 0)))
  for (const cells of table) {
    console.log(
      cells
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd()
    )
  }
}

/** A control character could move the cursor or change the terminal. */
const toLine = (text: string): string => text.replace(/\p{Cc}/gu, '\u{FFFD}')
