import { signal } from '@preact/signals'
import { parseObject } from '../../runtime/json-values.ts'
import { refusalOf } from '../api.ts'
import { fieldOf, noAnswer, type Problem, toSentence } from '../edit/problem.ts'
import type { Kind } from '../edit/trait-kinds.ts'
import type { RowItem } from '../gallery/items.ts'
import type { List } from '../gallery/list.ts'
import type { Typed } from '../numbers/read-input.tsx'
import { nameOf, type PartPath } from '../template/parts.ts'
import { type Contents, readContents } from '../template/read.ts'
import { Changes, describeCells, enqueue } from './changes.ts'
import type { TableColumn } from './columns.tsx'
import { record } from './history.ts'
import { moveToForm, saveCell } from './save-cell.ts'
import { findUnsaved, forgetUnsaved, keepUnsaved, type Unsaved } from './unsaved.ts'
import { checkValue, readEditable } from './values.ts'

export interface Cell {
  id: number
  key: string
}

/** The edit of a cell. */
export interface Editing extends Cell {
  item: RowItem
  column: TableColumn
  kind: Kind
  value: unknown
  /** Why the text is not a number. */
  unreadable?: string | undefined
  /** The value before the edit. */
  initial: unknown
  /** The value that the cell showed: the initial one, or that of an edit which was not saved yet. */
  seen: unknown
  /** The contents of the displayed revision, with their exact bytes. */
  contents: Promise<Contents | null>
  /** Whether a letter began the edit, which it replaces. */
  isTyped: boolean
  /** The reasons why saving failed. */
  problems: string[]
}

const conflict = 'somebody else has changed the same since'

/** The state of the grid: the active cell, the range that ends there, and the edited cell. */
export class Cells {
  readonly active = signal<Cell | undefined>(undefined)
  /** The other end of the range; undefined if only the active cell is selected. */
  readonly anchor = signal<Cell | undefined>(undefined)
  readonly editing = signal<Editing | undefined>(undefined)
  readonly changes: Changes
  readonly #list: List<RowItem>

  constructor(list: List<RowItem>) {
    this.#list = list
    this.changes = new Changes(list)
  }

  /** Makes a cell active; with `extend`, as the end of a range. */
  activate(cell: Cell, extend = false): void {
    this.anchor.value = extend ? (this.anchor.value ?? this.active.value) : undefined
    this.active.value = cell
  }

  /**
   * Starts to edit a cell. Another edited cell is saved; if it cannot be, it stays open. An edit that was not saved
   * goes on.
   */
  start(item: RowItem, column: TableColumn, isTyped = false): void {
    const { id, revision } = item
    const editable = readEditable(item, column)
    if (!editable || !this.commit()) return
    const cell = { id, key: column.key }
    this.activate(cell)
    const left = findUnsaved(cell)
    if (left) {
      const { isSaving, isConflict, ...edit } = left
      this.editing.value = { ...edit, isTyped, seen: left.value, unreadable: undefined }
      return
    }
    const contents = readContents(id, revision)
    // `#trySave` reports the failure.
    contents.catch(() => {})
    const { kind, value } = editable
    this.editing.value = {
      ...{ ...cell, item, column, kind, contents, isTyped },
      ...{ value, initial: value, seen: value, problems: [] }
    }
  }

  change(value: unknown, typed?: Typed): void {
    const editing = this.editing.value
    if (!editing) return
    if (editing.problems.length > 0) this.changes.say('')
    const isCleared = typed?.text.trim() === '' && editing.initial === undefined
    const isUnread = value === undefined && typed?.problem !== undefined && !isCleared
    this.editing.value = {
      ...{ ...editing, problems: [] },
      ...(isUnread ? { unreadable: typed.problem } : { value, unreadable: undefined })
    }
  }

  /** Ends the edit. The cell has its stored value again. */
  cancel(): void {
    const editing = this.editing.value
    if (editing && !findUnsaved(editing)?.isSaving) forgetUnsaved(editing)
    if (editing && editing.problems.length > 0) this.changes.say('')
    this.editing.value = undefined
  }

  /**
   * Ends the edit and saves it, after the edits before. The user need not wait: a cell that could not be saved keeps
   * the edit. Returns false if the editor stays open, because what it has is no value for the cell.
   */
  commit(): boolean {
    const editing = this.editing.value
    if (!editing) return true
    const problem = editing.unreadable ?? checkValue(editing.value, editing.column)
    if (problem !== undefined && (editing.unreadable !== undefined || editing.value !== editing.initial)) {
      this.editing.value = { ...editing, problems: [problem] }
      this.changes.say(`Not saved: ${describeCells([editing])} ${problem}.`)
      return false
    }
    this.editing.value = undefined
    const before = findUnsaved(editing)
    if (editing.value === (before?.isSaving ? before.value : editing.initial)) {
      if (!before?.isSaving) forgetUnsaved(editing)
      return true
    }
    const edit: Unsaved = { ...editing, problems: [], isSaving: true }
    keepUnsaved(edit)
    enqueue(() => this.#save(edit))
    return true
  }

  async #save(edit: Unsaved): Promise<void> {
    const result = await this.#trySave(edit)
    // The user has edited the cell again meanwhile.
    if (findUnsaved(edit) !== edit) return
    if (result === 'conflict')
      keepUnsaved({ ...edit, isSaving: false, isConflict: true, problems: [conflict] })
    else if (result.length > 0) keepUnsaved({ ...edit, isSaving: false, problems: result })
    else forgetUnsaved(edit)
  }

  /** Returns the reasons why saving failed. */
  async #trySave(edit: Unsaved): Promise<string[] | 'conflict'> {
    const { id, column, value } = edit
    const item = this.#findItem(edit)
    const { where } = column
    if (readEditable(item, column)?.value === value) return []
    const { revision } = item
    const contents = item === edit.item ? edit.contents : readContents(id, revision)
    const base = await contents.catch(() => readContents(id, revision)).catch(() => null)
    if (!base || where === undefined) return [noAnswer]
    const change = { id, where, value, base: { ...base, revision } }
    try {
      const outcome = await saveCell(change)
      if (outcome === 'conflict') return 'conflict'
      if (outcome.problems.length > 0)
        return outcome.problems.map(problem => describe(problem, fieldAt(where, outcome.draft.data)))
      if (outcome.revision !== undefined)
        record(describeCells([{ item, column }]), [
          { id, name: item.name, draft: outcome.draft, revision: outcome.revision }
        ])
      this.changes.say(`Saved as revision ${outcome.revision}.`)
    } catch (error) {
      moveToForm(change)
      return [refusalOf(error) ?? noAnswer]
    }
    // It is saved, even if it cannot be read again.
    await this.#list.refresh([id]).catch(() => {})
    return []
  }

  /**
   * Returns the template as it is listed now, if the cell has what the user saw: an edit before this one may have
   * changed the template. Otherwise, it is the template that the user saw, so that a conflict shows.
   */
  #findItem({ id, item, column, initial, seen }: Unsaved): RowItem {
    const now = this.#list.entries.value.find(entry => entry.id === id)?.item
    const found = now && readEditable(now, column)
    return now && found && [initial, seen].includes(found.value) ? now : item
  }
}

/** Describes a problem. The place is omitted if it is the edited cell. */
const describe = (problem: Problem, edited: string | undefined): string =>
  fieldOf(problem) === edited ? problem.message : toSentence(problem)

/** Returns the form field of a cell, as `fieldOf` does; undefined if the document does not have the trait. */
function fieldAt(where: PartPath, data: string): string | undefined {
  if (where === 'data') return where
  if ('column' in where) return where.column
  if ('key' in where) return `/${where.key}`
  const attributes = parseObject(data)?.attributes
  const names = Array.isArray(attributes) ? attributes.map(nameOf) : []
  const places = [...names.keys()].filter(at => names[at] === where.trait)
  return places[where.nth] === undefined ? undefined : `/attributes/${places[where.nth]}/value`
}
