import type { FunctionComponent } from 'preact'
import type { ProductTemplate } from '../domain/columns.ts'

/**
 * What a feature adds to the explorer: `explorer` of its `explorer.ts`. The first page has it, so it imports the rest.
 */
export interface ExplorerAddition {
  /** The page that imports files. */
  importPage?: () => Promise<FunctionComponent>
  /** The pages for administrators. */
  adminPage?: () => Promise<FunctionComponent<{ id: string | undefined }>>
  /** Formats of files to export, by their extensions. */
  exportFormats?: Record<string, ExportFormat>
  /** Whether the service stores pictures, which users upload or let it fetch. */
  storesPictures?: boolean
  /** Where views are kept for all. Without it, each browser keeps its own. */
  viewStore?: () => Promise<{ viewStore: SharedViewStore }>
}

/** A filter, an order and columns, by name. */
export interface NamedView {
  id: string
  name: string
  /** Filter and order, as the query of an address. */
  query: string
  columns: string[]
  /** Whether it is for all. */
  shared: boolean
  mayChange: boolean
  /** Whether everybody begins with its columns. */
  isDefault?: boolean
}

/** A view to save; without an id, a new one. */
type ViewToSave = Omit<NamedView, 'id' | 'mayChange' | 'isDefault'> & { id?: string | undefined }

export interface ViewStore {
  list(): Promise<NamedView[]>
  /** Saves a view, or returns the problems as sentences. */
  save(view: ViewToSave): Promise<NamedView | { problems: string[] }>
  /** Deletes a view, or returns the problems. */
  remove(id: string): Promise<string[]>
}

/** Views at the service. */
export interface SharedViewStore extends ViewStore {
  /** Reads the columns that everybody begins with; undefined if nobody has chosen them. */
  readDefaultColumns(): Promise<string[] | undefined>
  /**
   * Lets everybody begin with the columns of a view; undefined: with those that the page chooses. Returns the problems.
   */
  setDefault(id: string | undefined): Promise<string[]>
}

export interface ExportFormat {
  label: string
  load(): Promise<{ writeFile: WriteFile }>
}

/**
 * Writes templates to a file. `pages` may be called more than once. The note says what the file does not have; it is
 * empty if nothing is missing. Throws an Error if the format cannot hold the templates.
 */
export type WriteFile = (
  pages: () => AsyncIterable<ProductTemplate[]>
) => Promise<{ parts: AsyncIterable<string | Uint8Array>; note: string }>

/** Vite finds the files, so the explorer names none, and a folder that is deleted leaves nothing. */
const additions = Object.values(
  import.meta.glob<ExplorerAddition>('../features/*/explorer.ts', { eager: true, import: 'explorer' })
)

export const importPage = additions.find(({ importPage }) => importPage)?.importPage

export const adminPage = additions.find(({ adminPage }) => adminPage)?.adminPage

export const loadViewStore = additions.find(({ viewStore }) => viewStore)?.viewStore

export const storesPictures = additions.some(({ storesPictures }) => storesPictures)

const ndjson: ExportFormat = {
  label: 'JSON with the exact bytes (NDJSON)',
  load: () => import('./export/ndjson.ts')
}

/** The first one is the usual one. */
export const exportFormats: Record<string, ExportFormat> = Object.assign(
  {},
  ...additions.map(({ exportFormats }) => exportFormats),
  { ndjson }
)
