import type { ComponentType } from 'preact'
import type { ProductTemplate } from '../domain/columns.ts'

/** What a feature adds to the explorer: `explorer` of its `explorer.ts`. The first page has it, so it imports the rest. */
export interface ExplorerPart {
  /** The page that imports files. */
  importPage?: () => Promise<{ Import: ComponentType }>
  /** Formats of files to export, by their extensions. */
  exportFormats?: Record<string, ExportFormat>
}

export interface ExportFormat {
  label: string
  load(): Promise<{ writeFile: WriteFile }>
}

/**
 * Writes templates to a file. `pages` may be called more than once. The note says what the file does not have; it is empty
 * if nothing is missing. Throws an Error if the format cannot hold the templates.
 */
export type WriteFile = (
  pages: () => AsyncIterable<ProductTemplate[]>
) => Promise<{ parts: AsyncIterable<string | Uint8Array>; note: string }>

/** Vite finds the files, so the explorer names none, and a folder that is deleted leaves nothing. */
const parts = Object.values(
  import.meta.glob<ExplorerPart>('../features/*/explorer.ts', { eager: true, import: 'explorer' })
)

export const importPage = parts.find(({ importPage }) => importPage)?.importPage

const ndjson: ExportFormat = {
  label: 'JSON with the exact bytes (NDJSON)',
  load: () => import('./export/ndjson.ts')
}

/** The first one is the usual one. */
export const exportFormats: Record<string, ExportFormat> = Object.assign(
  {},
  ...parts.map(({ exportFormats }) => exportFormats),
  { ndjson }
)
