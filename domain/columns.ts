/** The integers that fields may have, as GraphQL's Int; the highest one is also the highest id. */
export const minInt = -(2 ** 31)
export const maxInt = 2 ** 31 - 1

export const isInt = (value: unknown): value is number =>
  Number.isInteger(value) && (value as number) >= minInt && (value as number) <= maxInt

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

export type FieldName = keyof ProductTemplate

/** The values that a writer chooses. The service sets a missing id and missing times. */
export type TemplateValues = Omit<ProductTemplate, 'id' | 'timeCreated' | 'timeModified'>

/** The values with a default. A name and a document have none, and an optional value may be absent. */
export type DefaultValues = Omit<TemplateValues, 'name' | 'data'>

type StoredColumn =
  | 'id'
  | 'blockchain_id'
  | 'max_items'
  | 'name'
  | 'public_product'
  | 'component_name'
  | 'time_created'
  | 'time_modified'
  | 'data'

/** The label of a field, its column, and its allowed values. */
export interface Column {
  label: string
  column: StoredColumn
  /** A document is JSON text. A boolean is stored as 0 or 1. */
  type: 'integer' | 'text' | 'boolean' | 'time' | 'document'
  /** The lowest allowed integer. The highest one is {@link maxInt}. */
  minimum?: number
  /** Maximum characters of a new text. Unless the field is optional, the text must not be empty. */
  maxLength?: number
  /** Whether writers may omit it. */
  isOptional?: true
}

/**
 * The fields of a template, in the order of exports. Reading, writing, revisions, import, export and the explorer use
 * this table. CONTRIBUTING.md lists the other steps for a new column.
 */
export const columns: {
  [Field in FieldName]: Column &
    // A new template has the usual value where its source has none, such as a column of an imported table.
    (Field extends keyof DefaultValues ? { usual: ProductTemplate[Field] } : unknown)
} = {
  id: { label: 'Id', column: 'id', type: 'integer', minimum: 0, isOptional: true },
  blockchainId: { label: 'Blockchain', column: 'blockchain_id', type: 'integer', minimum: minInt, usual: 1 },
  maxItems: { label: 'Max items', column: 'max_items', type: 'integer', minimum: 1, usual: 1 },
  name: { label: 'Name', column: 'name', type: 'text', maxLength: 500 },
  publicProduct: { label: 'Public', column: 'public_product', type: 'boolean', usual: false },
  componentName: {
    label: 'Component',
    column: 'component_name',
    type: 'text',
    maxLength: 100,
    usual: 'DefaultProduct'
  },
  timeCreated: { label: 'Created', column: 'time_created', type: 'time', isOptional: true },
  timeModified: { label: 'Modified', column: 'time_modified', type: 'time', isOptional: true },
  data: { label: 'Data', column: 'data', type: 'document' }
}

export const fieldNames = Object.keys(columns) as FieldName[]

/** The fields of {@link TemplateValues}. */
export const editableFields = fieldNames.filter(
  field => !['id', 'timeCreated', 'timeModified'].includes(field)
) as (keyof TemplateValues)[]

/** The usual values, in the order of the table. */
export const defaultValues = Object.fromEntries(
  Object.entries(columns).flatMap(([field, column]) => ('usual' in column ? [[field, column.usual]] : []))
) as unknown as DefaultValues
