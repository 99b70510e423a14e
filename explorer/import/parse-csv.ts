import { type CsvError, parse } from 'csv-parse/browser/esm/sync'
import { type Column, locateProblem, readHeader } from '../../tables/columns.ts'
import { countLines, describeError, guessDelimiter, parsing } from '../../tables/csv.ts'
import { readRow } from '../../tables/row.ts'
import { fields } from './candidate.ts'
import type { FileRecord } from './parse-file.ts'

interface Row {
  cells: string[]
  /** The first line. */
  line: number
}

/** Reads CSV with the columns that `product-templates export` writes. Throws an Error that says what is wrong. */
export function parseCsv(text: string): FileRecord[] {
  const [header, ...rows] = readRows(text).filter(({ cells }) => cells.some(cell => cell !== ''))
  const { columns, problem, column = 0 } = readHeader(header?.cells ?? [], fields)
  if (problem !== undefined) throw new Error(`The column “${header?.cells[column]}”: ${problem}.`)
  return rows.map(row => readRecord(row, columns))
}

function readRecord({ cells, line: place }: Row, columns: Column[]): FileRecord {
  if (cells.length !== columns.length)
    return { place, problem: `the row has ${cells.length} cells and the header ${columns.length}` }
  const { values, problems: [first] = [] } = readRow(cells, columns)
  if (first) return { place, problem: first.message }
  return { place, value: values, findColumn: problem => locateProblem(problem, columns, values.data) }
}

function readRows(text: string): Row[] {
  let line = 1
  try {
    const found = parse(text, { ...parsing, delimiter: guessDelimiter(text) })
    return (found as unknown as { record: string[]; raw: string }[]).map(({ record: cells, raw }) => {
      const row = { cells, line }
      line += countLines(raw)
      return row
    })
  } catch (error) {
    const { code, lines } = error as CsvError & { lines?: number }
    throw new Error(`The file is not CSV: line ${lines}: ${describeError(code)}.`)
  }
}
