import { signal } from '@preact/signals'
import { editableFields, type TemplateValues } from '../../domain/columns.ts'
import { describeFailure } from '../api.ts'
import { draftOf, isChanged } from '../edit/draft.ts'
import { formatCount, plural } from '../format.ts'
import { type RowItem, readItems } from '../gallery/items.ts'
import type { List } from '../gallery/list.ts'
import { withLineBreaks } from '../ui/inputs.tsx'
import { forms } from './additions.ts'
import type { TableColumn } from './columns.tsx'
import { type Direction, record, revertOrRedo } from './history.ts'
import { withChange } from './save-cell.ts'
import { describeRefusal, type Edit, type SaveManyResult, saveMany } from './save-many.ts'
import { forgetUnsaved } from './unsaved.ts'
import { readEditable, readText, showChange, valueIn, writeText } from './values.ts'

/** A text for a cell. The item is undefined if the row is not loaded. */
export interface CellText {
  item: RowItem | undefined
  column: TableColumn
  text: string
}

/** A cell to change. */
export interface CellChange {
  item: RowItem
  column: TableColumn
  value: unknown
  before: string
  after: string
}

/** What happened, and what was refused, as sentences. */
interface Notice {
  text: string
  refused: string[]
}

/** Changes to confirm. */
export interface Pending {
  changes: CellChange[]
  leftOut: string
  refused: string[]
  save: (message: string) => Promise<void>
  cancel: () => void
}

/** More cells are shown before they change. */
const maxWithoutPreview = 20

/** The changes of many cells at once, and their undo. */
export class Changes {
  readonly notice = signal<Notice>({ text: '', refused: [] })
  readonly pending = signal<Pending | undefined>(undefined)
  readonly isBusy = signal(false)
  readonly #list: List<RowItem>

  constructor(list: List<RowItem>) {
    this.#list = list
  }

  say(text: string, refused: string[] = []): void {
    this.notice.value = { text, refused }
  }

  /** Changes cells to texts. `outside` is the number of texts without a cell. */
  apply(texts: CellText[], outside = 0): Promise<void> {
    return this.#run(async () => {
      const plan = planChanges(this.#renew(texts))
      const { edits, changes, refused } = await prepare(plan.changes)
      const problems = [...plan.refused, ...refused]
      const leftOut = describeLeftOut(plan.readOnly, outside + plan.unknown, problems.length)
      const save = async (message: string) => {
        const outcome = await saveMany(edits, message)
        // The new text replaces one that could not be saved.
        for (const { item, column } of texts) if (item) forgetUnsaved({ id: item.id, key: column.key })
        await this.#finish(outcome, changes, { leftOut, refused: problems })
      }
      if (changes.length <= maxWithoutPreview) return save('')
      const { promise, resolve } = Promise.withResolvers<void>()
      const cancel = () => {
        this.pending.value = undefined
        resolve()
      }
      this.pending.value = {
        ...{ changes, leftOut, refused: problems, cancel },
        save: message => save(message).finally(cancel)
      }
      return promise
    })
  }

  revertOrRedo(direction: Direction): Promise<void> {
    return this.#run(async () => {
      const outcome = await revertOrRedo(direction)
      if (!outcome) return this.say(`Nothing to ${direction}.`)
      const done = direction === 'undo' ? 'Undone' : 'Done again'
      const { label, saved, refused, problem } = outcome
      this.say(`${saved.length > 0 ? done : `Not ${done.toLowerCase()}`}: ${label}.`, [
        ...(problem === undefined ? [] : [problem]),
        ...refused
      ])
      await this.#refresh(saved)
      return undefined
    })
  }

  async #finish(
    outcome: SaveManyResult,
    changes: CellChange[],
    { leftOut, refused }: { leftOut: string; refused: string[] }
  ) {
    const ids = new Set(outcome.saved.map(({ id }) => id))
    const saved = changes.filter(({ item }) => ids.has(item.id))
    record(describeCells(saved), outcome.saved)
    const text = saved.length === 0 ? 'Nothing changed.' : `Changed: ${describeCells(saved)}.`
    const problem = outcome.problem === undefined ? [] : [outcome.problem]
    this.say(`${text} ${leftOut}`, [...problem, ...refused, ...outcome.refused])
    await this.#refresh(outcome.saved)
  }

  /** Reads what was saved. It is saved, even if it cannot be read again. */
  async #refresh(saved: { id: number }[]): Promise<void> {
    await this.#list.refresh(saved.map(({ id }) => id)).catch(() => {})
  }

  #run(work: () => Promise<void>): Promise<void> {
    return enqueue(async () => {
      this.isBusy.value = true
      await work().catch(error => this.say('', [describeFailure(error)]))
      this.isBusy.value = false
    })
  }

  /** Replaces the items by those that the list has now: an earlier job may have changed them. */
  #renew(texts: CellText[]): CellText[] {
    const ids = new Set(texts.map(({ item }) => item?.id))
    const entries = this.#list.entries.value.filter(({ id }) => ids.has(id))
    const items = new Map(entries.map(({ id, item }) => [id, item]))
    return texts.map(cell => ({ ...cell, item: cell.item && (items.get(cell.item.id) ?? cell.item) }))
  }
}

let last: Promise<void> = Promise.resolve()

/**
 * Runs the writes of the table one after the other, because somebody may press a key faster than the service answers.
 */
export function enqueue(job: () => Promise<void>): Promise<void> {
  last = last.then(job)
  return last
}

/** Describes cells for the undo: `Made in of Lamp`, or `12 cells`. */
export function describeCells(cells: { item: RowItem; column: TableColumn }[]): string {
  const [only, ...others] = cells
  return only && others.length === 0
    ? `${only.column.label} of ${only.item.name || `template ${only.item.id}`}`
    : plural(cells.length, 'cell')
}

/** Finds the cells whose values change. */
function planChanges(texts: CellText[]) {
  const plan = { changes: [] as CellChange[], readOnly: 0, unknown: 0, refused: [] as string[] }
  const byColumn = Map.groupBy(texts, ({ column }) => column)
  const shown = new Map(
    Array.from(byColumn, ([column, cells]) => [column, forms?.findShown(column.form, cells)])
  )
  for (const { item, column, text } of texts) {
    if (!item) {
      plan.unknown++
      continue
    }
    const editable = readEditable(item, column)
    if (!editable) {
      plan.readOnly++
      continue
    }
    const before = writeText(item, column)
    const given = withLineBreaks(text.replace(/\r\n?/g, '\n'), before)
    const reading = given === before ? editable : readText(given, column, editable.kind, shown.get(column))
    if ('problem' in reading) plan.refused.push(describeRefusal(item, `${column.label} ${reading.problem}`))
    else if (reading.value !== editable.value) {
      const [before = '', after = ''] = showChange([editable.value, reading.value], column)
      plan.changes.push({ item, column, value: reading.value, before, after })
    }
  }
  return plan
}

type Stored = TemplateValues & { id: number; revision: number }

/** Reads what is stored, and leaves out cells that show something else. */
async function prepare(
  changes: CellChange[]
): Promise<{ edits: Edit[]; changes: CellChange[]; refused: string[] }> {
  const byId = Map.groupBy(changes, ({ item }) => item.id)
  const stored = await readItems<Stored>(`id revision ${editableFields.join(' ')}`, [...byId.keys()], {})
  const bases = new Map(stored.map(base => [base.id, base]))
  const refused: string[] = []
  const current = changes.filter(({ item, column }) => {
    const base = bases.get(item.id)
    const isShown =
      base?.revision === item.revision ||
      (base && column.where && same(valueIn(base, column.where), readEditable(item, column)?.value))
    const why = base ? `somebody else has changed ${column.label} meanwhile` : 'it was deleted meanwhile'
    if (!isShown) refused.push(describeRefusal(item, why))
    return isShown
  })
  const edits = Array.from(
    Map.groupBy(current, ({ item }) => item.id),
    ([id, cells]) => {
      let draft = draftOf(bases.get(id) as Stored)
      for (const { column, value } of cells)
        if (column.where !== undefined) draft = withChange(draft, { where: column.where, value })
      return { id, name: cells[0]?.item.name ?? '', draft }
    }
  )
  return { edits: edits.filter(({ draft }) => isChanged(draft)), changes: current, refused }
}

/** Whether two values of cells are the same. Absent and null look alike. */
const same = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one ?? null) === JSON.stringify(other ?? null)

function describeLeftOut(readOnly: number, outside: number, refused: number): string {
  const parts: string[] = []
  if (readOnly > 0) parts.push(`${formatCount(readOnly)} cannot be edited here`)
  if (outside > 0) parts.push(`${formatCount(outside)} had no cell`)
  if (refused > 0) parts.push(plural(refused, 'cell stays as it is', 'cells stay as they are'))
  return parts.length > 0 ? `Left out: ${parts.join(', ')}.` : ''
}
