import type { Feature } from '../feature.ts'

/** Tables in CSV and XLSX files, for `import`, `export` and the explorer. */
export const spreadsheets: Feature = {
  fileFormats: {
    extensions: { csv: ['csv', 'tsv'], xlsx: ['xlsx'] },
    importOptions: {
      '--mapping <file>':
        'tables with columns of their own: file that says what the columns become and which is the key; if it does not exist, the command only writes a guess to it',
      '--sheet <name>': 'XLSX: the sheet; default: the largest visible one',
      '--hidden-rows': 'XLSX: also import the rows that are hidden',
      '--header <row>': 'the row with the names of the columns; default: the first one that is not a title',
      '--encoding <name>': 'CSV: the encoding, such as windows-1251; default: UTF-8, UTF-16 or windows-1252'
    },
    exportOptions: { '--no-data': 'leave out the column data of CSV and XLSX' },
    load: () => import('./commands.ts')
  }
}
