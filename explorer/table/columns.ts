import { columns as fields } from '../../db/templates/table/columns.ts'
import type { Kind } from '../edit/trait-kinds.ts'
import { humanName } from '../format.ts'
import type { PartPath } from '../template/parts.ts'

export interface TableColumn {
  /** The key in the setting and, for sortable columns, in the address: `supply`, `trait.MadeIn`. */
  key: string
  label: string
  /** In pixels; 0 for the name, which takes the remaining width. */
  width: number
  isSortable: boolean
  /** Whether values are aligned right. */
  isNumber: boolean
  /** The part of the template that the cell edits; undefined if the cell is read-only. */
  where: PartPath | undefined
  /** The kind of new values. */
  kind: Kind
}

const field = (key: string, label: string, width: number, more: Partial<TableColumn> = {}): TableColumn => ({
  key,
  label,
  width,
  isSortable: true,
  isNumber: false,
  where: undefined,
  kind: 'text',
  ...more
})

export const nameColumn = field('name', fields.name.label, 0, { where: { column: 'name' } })

/** The columns of fields, without the name. */
export const fieldColumns = [
  field('component', fields.componentName.label, 140, { where: { column: 'componentName' } }),
  field('chain', fields.blockchainId.label, 130, { where: { column: 'blockchainId' }, kind: 'number' }),
  field('supply', fields.maxItems.label, 130, {
    where: { column: 'maxItems' },
    kind: 'number',
    isNumber: true
  }),
  field('state', fields.publicProduct.label, 130, { where: { column: 'publicProduct' }, kind: 'boolean' }),
  field('changed', fields.timeModified.label, 190),
  field('created', fields.timeCreated.label, 190),
  field('id', fields.id.label, 90, { isNumber: true }),
  field('productId', 'Product id', 130, { isSortable: false }),
  field('description', 'Description', 320, { isSortable: false, where: { key: 'description' } }),
  field('contentId', 'Content id', 220, { isSortable: false })
]

const prefix = 'trait.'

/** Makes the column of a trait. If a template has the trait several times, the first one counts. */
export const traitColumn = (trait: string, kind: Kind = 'text', isNumber = kind === 'number'): TableColumn =>
  field(prefix + trait, humanName(trait), isNumber || kind === 'boolean' ? 130 : 170, {
    where: { trait, nth: 0 },
    kind,
    isNumber
  })

/** Returns the trait type of a column key. */
export const traitOf = (key: string): string | undefined =>
  key.startsWith(prefix) ? key.slice(prefix.length) : undefined
