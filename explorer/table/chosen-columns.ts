import { computed, signal } from '@preact/signals'
import { mayPublish } from '../api.ts'
import { guessForm, kindOfFacet } from '../edit/known-traits.ts'
import { areNumbers, byUsefulness, isUseful, readTraits, type TraitFacet } from '../filters/counts.ts'
import { listTellingColumns, readTelling, telling } from '../filters/telling.ts'
import { openedView } from '../gallery/table-module.ts'
import { createSetting } from '../storage.ts'
import { fieldColumns, nameColumn, type TableColumn, traitColumn, traitOf } from './columns.tsx'

/** The fields among the default columns. */
const shopFields = ['state', 'changed']
/** Those that are the same everywhere in most shops. */
const chainFields = ['component', 'chain', 'supply']
/** The number of text traits among the default columns if no trait tells much. */
const firstTraits = 2
/**
 * The API shortens longer trait types and replaces U+0000 by U+FFFD, so a cell could not find the trait by such a name.
 */
const isWholeName = (name: string): boolean => name.length <= 100 && !name.includes('\uFFFD')

/** The keys of the chosen columns; undefined before the first choice. */
const chosenKeys = createSetting<string[] | undefined>('columns', undefined)

/** The widths that the user has chosen, in pixels by the keys of columns. */
const widths = createSetting<Record<string, number>>('column widths', {})

/** The columns of all traits, the most useful ones first. */
export const traitColumns = signal<TableColumn[]>([])

/** All columns in the order of the table. */
const known = computed(() => [
  ...fieldColumns.map(column =>
    column.key === 'state' && !mayPublish() ? { ...column, where: undefined } : column
  ),
  ...traitColumns.value
])

/** The keys of the default columns: those chosen for everybody, or those that tell people most come first. */
function listDefaultKeys(): string[] {
  if (telling.value.columns) return telling.value.columns
  const traits = listTellingColumns(telling.value).filter(key => isWholeName(traitOf(key) ?? ''))
  if (traits.length > 0) return [...traits, ...shopFields, ...chainFields]
  const words = traitColumns.value.filter(({ kind, isNumber }) => kind === 'text' && !isNumber)
  return [...chainFields, ...shopFields, ...words.slice(0, firstTraits).map(({ key }) => key)]
}

/** The keys of the displayed columns in their order, without the name: those of the open view, or of the user. */
const shownKeys = computed(() => openedView.value?.columns ?? chosenKeys.value ?? listDefaultKeys())

function setKeys(keys: string[]): void {
  if (openedView.value) openedView.value = { ...openedView.value, columns: keys }
  else chosenKeys.value = keys
}

/** The displayed columns, always with the name. */
export const shownColumns = computed(() => {
  const byKey = new Map(known.value.map(column => [column.key, column]))
  const shown = [...new Set(shownKeys.value)].flatMap(key => {
    // Without a column, a trait that is not read yet, or that no template has.
    const trait = traitOf(key)
    return byKey.get(key) ?? (trait === undefined ? [] : traitColumn(trait))
  })
  return [nameColumn, ...shown].map(column => {
    const width = widths.value[column.key]
    return width === undefined || column === nameColumn ? column : { ...column, width: limitWidth(width) }
  })
})

/** Shows or hides a column. A new one comes after the last trait, and the table scrolls to it. */
export function toggleColumn(key: string): void {
  const keys = shownColumns.value.filter(column => column.key !== nameColumn.key).map(column => column.key)
  if (keys.includes(key)) setKeys(keys.filter(each => each !== key))
  else {
    const end = keys.findLastIndex(each => traitOf(each) !== undefined) + 1
    setKeys(keys.toSpliced(end, 0, key))
    requestAnimationFrame(() =>
      document
        .querySelector(`.table [data-key="${CSS.escape(key)}"]`)
        ?.scrollIntoView({ block: 'nearest', inline: 'center' })
    )
  }
}

/** Moves a column by some places, or to the place of another column. */
export function moveColumn(key: string, to: number | string): void {
  const keys = shownColumns.value.slice(1).map(column => column.key)
  const from = keys.indexOf(key)
  const at = typeof to === 'number' ? from + to : keys.indexOf(to)
  if (from < 0 || at < 0 || at >= keys.length) return
  setKeys(keys.toSpliced(from, 1).toSpliced(at, 0, key))
}

/** Pixels that a column may have. */
export const [minWidth, maxWidth] = [60, 800]

const limitWidth = (width: number): number => Math.round(Math.max(minWidth, Math.min(maxWidth, width)))

export function setWidth(key: string, width: number): void {
  widths.value = { ...widths.value, [key]: limitWidth(width) }
}

/** Resets to the default columns. */
export function resetColumns(): void {
  widths.value = {}
  if (openedView.value) setKeys(listDefaultKeys())
  else chosenKeys.value = undefined
}

let readWith: Promise<void> | undefined

/** Reads the traits, again when the telling ones are. */
export async function readTraitColumns(): Promise<void> {
  const reading = readTelling()
  if (traitColumns.value.length > 0 && readWith === reading) return
  const [traits] = await Promise.all([readTraits(undefined, {}), reading])
  readWith = reading
  const facets = traits.filter(({ type }) => isWholeName(type))
  const useful = facets.filter(isUseful).sort(byUsefulness)
  traitColumns.value = [...new Set([...useful, ...facets])].map(toColumn)
}

/** Derives the kind of the column from its most frequent values. */
function toColumn(facet: TraitFacet): TableColumn {
  const form = guessForm(facet)
  const isNumber = form ? form.as === 'money' || form.as === 'decimal' : areNumbers(facet)
  return traitColumn(facet.type, kindOfFacet(facet), isNumber, form)
}
