// Runs on SQLite only: no database is involved.
/** The rows from which the mapping of a table is guessed. */
import { t } from 'tap'
import { guessMapping } from '../../tables/guess.ts'
import { firstRows, maxRows, sampleRows } from '../../tables/sample.ts'

/** Makes a table whose cells have values, unless `hasValue` says otherwise. */
function makeTable(
  { columns, rows }: { columns: number; rows: number },
  hasValue: (row: number, column: number) => boolean = () => true
) {
  const names = Array.from({ length: columns }, (_, at) => `C${at}`)
  return {
    names,
    header: { cells: names, line: 1 },
    rows: Array.from({ length: rows }, (_, row) => ({
      cells: names.map((_, column) => (hasValue(row, column) ? `${row}` : '')),
      line: row + 2
    }))
  }
}

t.test('the more columns, the fewer rows', async t => {
  const count = async (columns: number, rows: number) =>
    (await sampleRows(makeTable({ columns, rows }))).length
  t.equal(await count(2, 11_000), maxRows)
  t.equal(await count(100, 3000), 2000)
  t.equal(await count(1200, 300), firstRows)
})

t.test('a column without a value in these rows has later ones, but not without limit', async t => {
  const sparse = makeTable(
    { columns: 100, rows: 9000 },
    (row, column) => column === 0 || row % 100 === column
  )
  t.equal((await sampleRows(sparse)).length, 4000)
  const late = makeTable({ columns: 100, rows: 9000 }, (row, column) => column < 99 || row >= 8990)
  const sample = await sampleRows(late)
  t.equal(sample.length, 2010)
  t.equal(sample.at(-1)?.cells[99], '8999')
  const everyLate = makeTable(
    { columns: 100, rows: 9000 },
    (row, column) => column < 9 || row >= 8000 + column
  )
  const { columns } = guessMapping(everyLate.names, await sampleRows(everyLate), [])
  t.notOk(Object.values(columns).includes(null), 'no column is left out')
})

t.test('rows that repeat the header tell nothing', async t => {
  const names = ['Name', ' Breite']
  const header = { cells: names, line: 1 }
  const rows = [
    ['Stuhl', '40'],
    ['Name ', 'Breite', ''],
    ['Tisch', '140'],
    ['Name', 'Breite']
  ].map((cells, at) => ({ cells, line: at + 2 }))
  const sample = await sampleRows({ names, header, rows })
  t.same(
    sample.map(({ line }) => line),
    [2, 4]
  )
  t.match(guessMapping(names, sample, []).columns[' Breite'], { as: 'number' })
})
