import { computed, signal } from '@preact/signals'
import { isNumber } from '../../domain/document.ts'
import { mayPublish } from '../api.ts'
import type { Kind } from '../edit/trait-kinds.ts'
import { byUsefulness, isUseful, readTraits, type TraitFacet } from '../filters/counts.ts'
import { createSetting } from '../storage.ts'
import { fieldColumns, nameColumn, type TableColumn, traitColumn, traitOf } from './columns.tsx'

const firstFields = ['component', 'chain', 'supply', 'state', 'changed']
/** The number of text traits among the default columns. */
const firstTraits = 2
/**
 * The API shortens longer trait types and replaces U+0000 by U+FFFD, so a cell could not find the trait by such a name.
 */
const isWholeName = (name: string): boolean => name.length <= 100 && !name.includes('\uFFFD')

/** The keys of the chosen columns; undefined before the first choice. */
const chosenKeys = createSetting<string[] | undefined>('columns', undefined)

/** The columns of all traits, the most useful ones first. */
export const traitColumns = signal<TableColumn[]>([])

/** All columns in the order of the table. */
const known = computed(() => [
  ...fieldColumns.map(column =>
    column.key === 'state' && !mayPublish() ? { ...column, where: undefined } : column
  ),
  ...traitColumns.value
])

/** The displayed columns, always with the name. */
export const shownColumns = computed(() => {
  const keys = chosenKeys.value ?? firstFields
  // Chosen traits that are not read yet, or that no template has.
  const others = keys
    .filter(key => !known.value.some(column => column.key === key))
    .flatMap(key => traitOf(key) ?? [])
  const chosen = known.value.filter(({ key }) => keys.includes(key))
  return [nameColumn, ...chosen, ...others.map(trait => traitColumn(trait))]
})

export function toggleColumn(key: string): void {
  const keys = shownColumns.value.filter(column => column !== nameColumn).map(column => column.key)
  chosenKeys.value = keys.includes(key) ? keys.filter(each => each !== key) : [...keys, key]
}

/** Resets to the default columns. */
export function resetColumns(): void {
  const words = traitColumns.value.filter(({ kind, isNumber }) => kind === 'text' && !isNumber)
  chosenKeys.value = [...firstFields, ...words.slice(0, firstTraits).map(({ key }) => key)]
}

/** Reads the traits. The default columns are stored, so that they stay the same later. */
export async function readTraitColumns(): Promise<void> {
  if (traitColumns.value.length > 0) return
  const facets = (await readTraits(undefined, {})).filter(({ type }) => isWholeName(type))
  const useful = facets.filter(isUseful).sort(byUsefulness)
  traitColumns.value = [...new Set([...useful, ...facets])].map(toColumn)
  if (!chosenKeys.value && traitColumns.value.length > 0) resetColumns()
}

const kinds: Record<string, Kind> = { INTEGER: 'number', BOOLEAN: 'boolean', ARRAY: 'list' }

/** Derives the kind of the column from its most frequent values. */
function toColumn({ type, values }: TraitFacet): TableColumn {
  const texts = values.map(({ text }) => text).filter(text => text !== '')
  const areNumbers = texts.length > 0 && texts.every(isNumber)
  return traitColumn(type, kinds[values[0]?.valueType ?? ''] ?? 'text', areNumbers)
}
