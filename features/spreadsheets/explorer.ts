import type { ExplorerAddition } from '../../explorer/additions.ts'

/** What tables add to the explorer. The page also imports JSON. */
export const explorer: ExplorerAddition = {
  importPage: () => import('./explorer/import.tsx').then(({ Import }) => Import),
  exportFormats: {
    xlsx: { label: 'Spreadsheet (XLSX)', load: () => import('./explorer/export-xlsx.ts') },
    csv: { label: 'Table (CSV)', load: () => import('./explorer/export-csv.ts') }
  }
}
