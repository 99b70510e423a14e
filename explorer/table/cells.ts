import { signal } from '@preact/signals'
import { refusalOf } from '../api.ts'
import { toPlainWords } from '../edit/plain-words.ts'
import { fieldOf, type Problem, shortMessage } from '../edit/problem.ts'
import type { Kind } from '../edit/trait-kinds.ts'
import type { RowItem } from '../gallery/items.ts'
import type { List } from '../gallery/list.ts'
import type { Typed } from '../numbers/number-input.tsx'
import { hrefOf, navigate } from '../route.ts'
import { type Contents, readContents } from '../template/read.ts'
import { Changes, describeCells } from './changes.ts'
import type { TableColumn } from './columns.tsx'
import { record } from './history.ts'
import { moveToForm, saveCell } from './save-cell.ts'
import { readEditable } from './values.ts'

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
  /** The contents of the displayed revision, with their exact bytes. */
  contents: Promise<Contents | null>
  isSaving: boolean
  /** Whether a letter began the edit, which it replaces. */
  isTyped: boolean
  /** The reasons why saving failed. */
  problems: string[]
}

const noAnswer = 'The service did not answer. What you typed is kept: save again.'

/** The state of the grid: the active cell, the range that ends there, and the edited cell. */
export class Cells {
  readonly active = signal<Cell | undefined>(undefined)
  /** The other end of the range; undefined if only the active cell is selected. */
  readonly anchor = signal<Cell | undefined>(undefined)
  readonly editing = signal<Editing | undefined>(undefined)
  readonly changes: Changes
  readonly #list: List<RowItem>
  #saving: Promise<boolean> | undefined

  constructor(list: List<RowItem>) {
    this.#list = list
    this.changes = new Changes(list)
  }

  /** Makes a cell active; with `extend`, as the end of a range. */
  activate(cell: Cell, extend = false): void {
    this.anchor.value = extend ? (this.anchor.value ?? this.active.value) : undefined
    this.active.value = cell
  }

  /** Starts to edit a cell. Another edited cell is saved first; if that fails, it stays open. */
  async start(item: RowItem, column: TableColumn, isTyped = false): Promise<void> {
    const { id, revision } = item
    const editable = readEditable(item, column)
    if (!editable || !(await this.commit())) return
    const contents = readContents(id, revision)
    // `#trySave` reports the failure.
    contents.catch(() => {})
    const { kind, value } = editable
    const [isSaving, problems] = [false, []]
    this.activate({ id, key: column.key })
    this.editing.value = {
      ...{ id, key: column.key, item, column },
      ...{ kind, value, initial: value, contents, isSaving, isTyped, problems }
    }
  }

  change(value: unknown, typed?: Typed): void {
    const editing = this.editing.value
    if (!editing) return
    const isCleared = typed?.text.trim() === '' && editing.initial === undefined
    const isUnread = typed !== undefined && value === undefined && !isCleared
    this.editing.value = {
      ...{ ...editing, problems: [] },
      ...(isUnread ? { unreadable: typed.problem } : { value, unreadable: undefined })
    }
  }

  cancel(): void {
    this.editing.value = undefined
  }

  /** Saves the edited cell. Returns false if saving failed. */
  commit(): Promise<boolean> {
    this.#saving ??= this.#save().finally(() => {
      this.#saving = undefined
    })
    return this.#saving
  }

  async #save(): Promise<boolean> {
    const editing = this.editing.value
    if (editing?.unreadable !== undefined) {
      this.editing.value = { ...editing, problems: [editing.unreadable] }
      return false
    }
    if (!editing || editing.value === editing.initial) {
      this.editing.value = undefined
      return true
    }
    this.editing.value = { ...editing, isSaving: true }
    const problems = await this.#trySave(editing)
    this.editing.value = problems.length > 0 ? { ...editing, problems } : undefined
    return problems.length === 0
  }

  /** Returns the reasons why saving failed. */
  async #trySave({ id, item, column, value, contents }: Editing): Promise<string[]> {
    const { where } = column
    const base = await contents.catch(() => readContents(id, item.revision)).catch(() => null)
    if (!base || where === undefined) return [noAnswer]
    const change = { id, where, value, base: { ...base, revision: item.revision } }
    try {
      const outcome = await saveCell(change)
      if (outcome === 'conflict') {
        navigate(hrefOf(['templates', id, 'edit'], new URLSearchParams({ compare: '' })))
        return []
      }
      if (outcome.problems.length > 0) return outcome.problems.map(problem => describe(problem, column))
      if (outcome.revision !== undefined)
        record(describeCells([{ item, column }]), [
          { id, name: item.name, draft: outcome.draft, revision: outcome.revision }
        ])
      this.changes.say(`Saved as revision ${outcome.revision}.`)
      await this.#list.refresh([id])
      return []
    } catch (error) {
      moveToForm(change)
      return [refusalOf(error) ?? noAnswer]
    }
  }
}

/** Describes a problem. The place is omitted if it is the edited cell. */
function describe(problem: Problem, { where }: TableColumn): string {
  const place = fieldOf(problem)
  const isHere =
    typeof where === 'object' &&
    ('column' in where
      ? where.column === place
      : 'key' in where
        ? `/${where.key}` === place
        : /^\/attributes\/\d+\/value$/.test(place))
  return isHere ? shortMessage(problem) : toPlainWords(problem.message)
}
