import { mayWrite } from '../api.ts'
import { type Kind, kindOfValue } from '../edit/trait-kinds.ts'
import type { RowItem } from '../gallery/items.ts'
import type { Trait } from '../template/read.ts'
import type { TableColumn } from './columns.tsx'

/** The kinds that a cell can edit; others need the form. */
const editableKinds: Kind[] = ['text', 'number', 'boolean']

/** Returns the first trait of a type. */
export const findTrait = ({ document }: RowItem, name: string | undefined): Trait | undefined =>
  document?.attributes.find(({ traitType }) => traitType === name)

/** Returns the value that a cell edits, with its kind; undefined if the cell is read-only. */
export function readEditable(
  item: RowItem,
  { where, kind }: TableColumn
): { kind: Kind; value: unknown } | undefined {
  if (!mayWrite() || where === undefined || where === 'data') return undefined
  if ('column' in where) {
    const value = (item as unknown as Record<string, unknown>)[where.column]
    return { kind, value }
  }
  if (!item.document) return undefined
  if ('key' in where) return { kind, value: item.document.description ?? undefined }
  const trait = findTrait(item, where.trait)
  const found = trait && trait.valueType !== 'ABSENT' ? kindOfValue(trait.value) : kind
  return editableKinds.includes(found) ? { kind: found, value: trait?.value ?? undefined } : undefined
}
