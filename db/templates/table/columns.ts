import type { ProductTemplateTable } from '../../schema.ts'

/** The integers that fields may have, as GraphQL's Int; the highest one is also the highest id. */
export const minInt = -(2 ** 31)
export const maxInt = 2 ** 31 - 1

/** Bytes of UTF-8 that a document may have by default. */
export const defaultMaxDataSize = 262_144

/** A product template with its nine fields; `data` is the stored text byte for byte. */
export interface ProductTemplate {
  id: number
  blockchainId: number
  maxItems: number
  name: string
  publicProduct: boolean
  componentName: string
  /** UTC with microseconds: `YYYY-MM-DDTHH:MM:SS.ffffffZ`. */
  timeCreated: string
  timeModified: string
  data: string
}

/** A field of a template. */
export type FieldName = keyof ProductTemplate

/** How a field is stored, and which values it may have. */
export interface Column {
  column: keyof ProductTemplateTable
  /** A document is JSON text. A boolean is stored as 0 or 1. */
  type: 'integer' | 'text' | 'boolean' | 'time' | 'document'
  /** The least integer; the greatest one is {@link maxInt}. */
  least?: number
  /** Characters of a new text, which must not be empty. */
  longest?: number
  /** Writers need not give it. */
  isGenerated?: true
}

/**
 * The fields of a template, in the order of exports. Add a column here, to `ProductTemplateTable`, by a migration, to the
 * GraphQL schema and, if templates can be filtered by it, to `filter/fields.ts`. Reading, writing, revisions, import and
 * export derive from this table.
 */
export const columns: Record<FieldName, Column> = {
  id: { column: 'id', type: 'integer', least: 0, isGenerated: true },
  blockchainId: { column: 'blockchain_id', type: 'integer', least: minInt },
  maxItems: { column: 'max_items', type: 'integer', least: 1 },
  name: { column: 'name', type: 'text', longest: 500 },
  publicProduct: { column: 'public_product', type: 'boolean' },
  componentName: { column: 'component_name', type: 'text', longest: 100 },
  timeCreated: { column: 'time_created', type: 'time', isGenerated: true },
  timeModified: { column: 'time_modified', type: 'time', isGenerated: true },
  data: { column: 'data', type: 'document' }
}

export const fieldNames = Object.keys(columns) as FieldName[]

/** The fields that a writer chooses; the service sets the others. */
export const chosenFields = fieldNames.filter(field => !columns[field].isGenerated)
