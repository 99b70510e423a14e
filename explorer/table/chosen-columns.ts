import { computed, signal } from '@preact/signals'
import { mayPublish } from '../api.ts'
import type { Kind } from '../edit/trait-kinds.ts'
import { byUse, isUseful, readTraits, type TraitFacet } from '../filters/counts.ts'
import { createSetting } from '../remembered.ts'
import { fieldColumns, nameColumn, type TableColumn, traitColumn, traitOf } from './columns.ts'

const firstFields = ['component', 'chain', 'supply', 'state', 'changed']
/** Traits with words that are columns as long as nobody has chosen. */
const firstTraits = 2
/** The API shortens longer names of traits, and replaces U+0000 by U+FFFD: a cell would not find the trait. */
const isWholeName = (name: string): boolean => name.length <= 100 && !name.includes('\uFFFD')

/** The keys of the columns that the user chose; undefined: nobody has chosen yet. */
const chosenKeys = createSetting<string[] | undefined>('columns', undefined)

/** The columns of the traits that exist, those first by which templates are told apart best. */
export const traitColumns = signal<TableColumn[]>([])

/** All columns that can be chosen, in the order of the table. */
const known = computed(() => [
  ...fieldColumns.map(column =>
    column.key === 'state' && !mayPublish() ? { ...column, where: undefined } : column
  ),
  ...traitColumns.value
])

/** The columns that are shown; the name is always among them. */
export const shownColumns = computed(() => {
  const keys = chosenKeys.value ?? firstFields
  // A trait that was chosen is shown before the traits are read, or if no template has it now.
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

/** Shows the columns that are shown at first. */
export function resetColumns(): void {
  const words = traitColumns.value.filter(({ kind, isNumber }) => kind === 'text' && !isNumber)
  chosenKeys.value = [...firstFields, ...words.slice(0, firstTraits).map(({ key }) => key)]
}

/** Reads which traits there are. Those shown at first are remembered, so that the columns are the same next time. */
export async function readTraitColumns(): Promise<void> {
  if (traitColumns.value.length > 0) return
  const facets = (await readTraits(undefined, {})).filter(({ type }) => isWholeName(type))
  const useful = facets.filter(isUseful).sort(byUse)
  traitColumns.value = [...new Set([...useful, ...facets])].map(toColumn)
  if (!chosenKeys.value && traitColumns.value.length > 0) resetColumns()
}

const kinds: Record<string, Kind> = { INTEGER: 'number', BOOLEAN: 'boolean', ARRAY: 'list' }

/** The most frequent values say what the others are like. */
function toColumn({ type, values }: TraitFacet): TableColumn {
  const texts = values.map(({ text }) => text).filter(text => text !== '')
  const isNumber = texts.length > 0 && texts.every(text => /^-?\d+([.,]\d+)?$/.test(text))
  return traitColumn(type, kinds[values[0]?.valueType ?? ''] ?? 'text', isNumber)
}
