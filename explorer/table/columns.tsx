import type { ComponentChild } from 'preact'
import { columns as fields } from '../../domain/columns.ts'
import type { Kind } from '../edit/trait-kinds.ts'
import { chainName, formatCount, humanName, kindOf } from '../format.ts'
import type { RowItem } from '../gallery/items.ts'
import { contentOf } from '../picture/use-picture.ts'
import type { PartPath } from '../template/parts.ts'
import { TraitValue } from '../template/trait-value.tsx'
import { MiddleCut } from '../ui/middle-cut.tsx'
import { Time } from '../ui/time.tsx'
import type { ColumnForm } from './forms.ts'
import { LastChange } from './last-change.tsx'
import { findTrait } from './values.ts'

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
  /** The form of the texts; undefined if any text is a value. */
  form?: ColumnForm | undefined
  /** Renders the content of a cell; empty if the template has no such value. */
  show: (item: RowItem, isNarrow: boolean) => ComponentChild
  /** The text for other programs, if the cell is read-only. */
  text?: (item: RowItem) => string
}

const field = (
  key: string,
  label: string,
  width: number,
  show: TableColumn['show'],
  more: Partial<TableColumn> = {}
): TableColumn => ({
  key,
  label,
  width,
  show,
  isSortable: true,
  isNumber: false,
  where: undefined,
  kind: 'text',
  ...more
})

/** How many letters fit on two lines of a narrow name column. */
const fittingNarrow = 26

export const nameColumn = field(
  'name',
  fields.name.label,
  0,
  ({ name }, isNarrow) =>
    name ? <MiddleCut text={name} fitting={isNarrow ? fittingNarrow : undefined} /> : <em>no name</em>,
  { where: { column: 'name' } }
)

/** The columns of fields, without the name. */
export const fieldColumns = [
  field('component', fields.componentName.label, 140, item => kindOf(item.componentName), {
    where: { column: 'componentName' }
  }),
  field('chain', fields.blockchainId.label, 130, item => chainName(item.blockchainId), {
    where: { column: 'blockchainId' },
    kind: 'number'
  }),
  field('supply', fields.maxItems.label, 130, item => formatCount(item.maxItems), {
    where: { column: 'maxItems' },
    kind: 'number',
    isNumber: true
  }),
  field('state', fields.publicProduct.label, 130, renderState, {
    where: { column: 'publicProduct' },
    kind: 'boolean',
    text: item => (item.publicProduct ? 'Public' : 'Not public')
  }),
  field('changed', fields.timeModified.label, 190, item => <LastChange item={item} />, {
    text: item => item.timeModified
  }),
  field('created', fields.timeCreated.label, 190, item => <Time time={item.timeCreated} />, {
    text: item => item.timeCreated
  }),
  field('id', fields.id.label, 90, item => String(item.id), {
    isNumber: true,
    text: item => String(item.id)
  }),
  field('productId', 'Product id', 130, productIdOf, { isSortable: false, text: productIdOf }),
  field('description', 'Description', 320, item => item.document?.description, {
    isSortable: false,
    where: { key: 'description' }
  }),
  field('contentId', 'Content id', 220, renderContentId, {
    isSortable: false,
    text: item => contentOf(item.document?.image) ?? ''
  })
]

function productIdOf({ document }: RowItem): string {
  return String(document?.productId ?? '')
}

function renderState({ publicProduct }: RowItem): ComponentChild {
  return (
    <span class={publicProduct ? 'pill' : 'pill outlined'}>{publicProduct ? 'Public' : 'Not public'}</span>
  )
}

function renderContentId({ document }: RowItem): ComponentChild {
  const id = contentOf(document?.image)
  return id && <MiddleCut text={id} />
}

const prefix = 'trait.'

/** Makes the column of a trait. If a template has the trait several times, the first one counts. */
export const traitColumn = (
  name: string,
  kind: Kind = 'text',
  isNumber = kind === 'number',
  form?: ColumnForm
): TableColumn =>
  field(
    prefix + name,
    humanName(name),
    isNumber || kind === 'boolean' ? 130 : 170,
    item => {
      const trait = findTrait(item, name)
      return trait && <TraitValue trait={trait} />
    },
    {
      where: { trait: name, nth: 0 },
      kind,
      isNumber,
      form
    }
  )

/** Returns the trait type of a column key. */
export const traitOf = (key: string): string | undefined =>
  key.startsWith(prefix) ? key.slice(prefix.length) : undefined
