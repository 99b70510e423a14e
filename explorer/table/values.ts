import type { TemplateValues } from '../../domain/columns.ts'
import { parseObject } from '../../runtime/json-values.ts'
import { mayWrite } from '../api.ts'
import { checkFields } from '../edit/check-fields.ts'
import { type Kind, kindOfValue } from '../edit/trait-kinds.ts'
import { chainName, chains } from '../format.ts'
import type { RowItem } from '../gallery/items.ts'
import { findNotation, readNumber, writeNumber } from '../numbers/number-text.ts'
import { formatTrait } from '../price.ts'
import { type ColumnName, nameOf, type PartPath } from '../template/parts.ts'
import type { Trait } from '../template/read.ts'
import { forms } from './additions.ts'
import type { TableColumn } from './columns.tsx'
import type { Reading } from './forms.ts'

/** The kinds that a cell can edit; others need the form. */
const editableKinds: Kind[] = ['text', 'number', 'boolean']

/** Returns the first trait of a type. */
export const findTrait = ({ document }: RowItem, name: string | undefined): Trait | undefined =>
  document?.attributes.find(({ traitType }) => traitType === name)

/** The value of a cell, and its kind. */
interface Editable {
  kind: Kind
  value: unknown
}

/** Returns the value that a cell edits; undefined if the cell is read-only. */
export const readEditable = (item: RowItem, column: TableColumn): Editable | undefined =>
  mayWrite() ? readValue(item, column) : undefined

function readValue(item: RowItem, { where, kind }: TableColumn): Editable | undefined {
  if (where === undefined || where === 'data') return undefined
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

const notation = findNotation()

/** The words for yes and no in a column: the first ones are shown. */
export const wordsOf = ({ key }: TableColumn): [yes: string, no: string] =>
  key === 'state' ? ['Public', 'Not public'] : ['Yes', 'No']

/** Returns the text of a cell for other programs: what its editor has. */
export function writeText(item: RowItem, column: TableColumn): string {
  const editable = readValue(item, column)
  if (!editable) return column.text?.(item) ?? findTrait(item, traitNameOf(column))?.text ?? ''
  return writeValue(editable.value, column)
}

/** Returns the text of a value in a cell. */
export function writeValue(value: unknown, column: TableColumn): string {
  if (typeof value === 'number') return writeNumber(value, notation)
  if (typeof value === 'boolean') return wordsOf(column)[value ? 0 : 1]
  return forms && column.form && typeof value === 'string'
    ? forms.writeForm(value, column.form)
    : String(value ?? '')
}

/** Returns the texts of two values for people; as they are stored if both would look the same. */
export function showChange(values: [unknown, unknown], column: TableColumn): string[] {
  const traitType = traitNameOf(column)
  const shown = values.map(value =>
    traitType !== undefined && typeof value === 'string'
      ? formatTrait({ traitType, text: value })
      : writeValue(value, column)
  )
  return shown[0] === shown[1] ? values.map(String) : shown
}

const traitNameOf = ({ where }: TableColumn) =>
  typeof where === 'object' && 'trait' in where ? where.trait : undefined

/**
 * Reads a typed text, or that of another program, for a cell. An empty text removes a trait. `shown` is the notation
 * that the other texts of the column show.
 */
export function readText(text: string, column: TableColumn, kind: Kind, shown?: string): Reading {
  const { where, form } = column
  const isField = typeof where === 'object' && 'column' in where
  if (!isField && text.trim() === '') return { value: traitNameOf(column) === undefined ? '' : undefined }
  const reading =
    forms && form && kind !== 'boolean'
      ? forms.readForm(text, form, kind, shown)
      : readByKind(text, column, kind)
  const problem = 'value' in reading ? checkValue(reading.value, column) : undefined
  return problem === undefined ? reading : { problem }
}

/** Returns why a cell cannot have a value, whatever the settings of the service are. */
export function checkValue(value: unknown, { where }: TableColumn): string | undefined {
  if (typeof where !== 'object' || !('column' in where)) return undefined
  return checkFields([where.column], { [where.column]: value })[0]?.message
}

function readByKind(text: string, column: TableColumn, kind: Kind): Reading {
  const word = text.trim().toLowerCase()
  if (kind === 'boolean') {
    const at = wordsOf(column).findIndex(each => each.toLowerCase() === word)
    const value = at < 0 ? forms?.readYesOrNo(word) : at === 0
    return value === undefined ? { problem: `must be ${wordsOf(column).join(' or ')}` } : { value }
  }
  if (kind !== 'number') return { value: text }
  const chain = column.key === 'chain' ? findChain(word) : undefined
  if (chain !== undefined) return { value: chain }
  const reading = readNumber(text, notation)
  return 'problem' in reading ? reading : { value: reading.number }
}

const findChain = (word: string): number | undefined =>
  [...chains].find(([id, name]) => [name, chainName(id)].some(each => each.toLowerCase() === word))?.[0]

/** Returns the value at a place of a stored template. */
export function valueIn(contents: TemplateValues, where: PartPath): unknown {
  if (where === 'data') return contents.data
  if ('column' in where) return contents[where.column as ColumnName]
  const document = parseObject(contents.data)
  if ('key' in where) return document?.[where.key]
  const traits = Array.isArray(document?.attributes) ? document.attributes : []
  return traits.filter(entry => nameOf(entry) === where.trait)[where.nth]?.value
}
