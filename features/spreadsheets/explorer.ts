import type { ExplorerPart } from '../../explorer/feature-parts.ts'

/** What tables add to the explorer. The page also imports JSON. */
export const explorer: ExplorerPart = {
  importPage: () => import('./explorer/import.tsx'),
  exportFormats: {
    xlsx: { label: 'Spreadsheet (XLSX)', load: () => import('./explorer/export-xlsx.ts') },
    csv: { label: 'Table (CSV)', load: () => import('./explorer/export-csv.ts') }
  }
}
