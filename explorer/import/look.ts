import type { Mapping } from '../../tables/mapping.ts'
import { readTable } from '../../tables/read-table.ts'
import { readSchema } from '../edit/schema.ts'
import { checkWith } from './candidate.ts'
import { findRecords, findTemplates } from './find.ts'
import { type Found, judge, type State, type Verdict } from './judge.ts'
import { findOdd } from './odd.ts'
import type { Contents, OpenTable } from './open-file.ts'

/** Rows with one state. Those that look odd have another one, too. */
export type Group = State | 'odd'

/** What an import would do: how many of each, and the first ones to look at. */
export interface Look {
  /** Of a table: what its columns became. */
  mapping: Mapping | undefined
  counts: Record<Group, number>
  first: Record<Group, Verdict[]>
  /** Of the new ones, how many would not be public. */
  hidden: number
  /** Those that were to be kept, by their places. */
  kept: Map<number, Verdict>
}

/** Rows of a state that are shown. */
export const mostShown = 500

/** Decides what an import would do with each record of a file. */
export async function* verdicts(contents: Contents, mapping: Mapping | undefined): AsyncGenerator<Verdict> {
  const check = checkWith(await readSchema())
  const found =
    'table' in contents ? findRows(contents.table, mapping as Mapping) : findRecords(contents.records)
  yield* judge(found, check)
}

async function* findRows(table: OpenTable, mapping: Mapping): AsyncGenerator<Found> {
  async function* rows() {
    yield* table.rows
  }
  const odd = findOdd(table, mapping)
  for await (const record of readTable({ ...table, rows: rows() }, mapping, findTemplates))
    yield { ...record, place: record.row.line, odd: odd.get(record.row.line) }
}

/** Looks at all records. Keeps the first ones and those at the places in `keep`: a table may have 100,000 rows. */
export async function look(
  contents: Contents,
  mapping: Mapping | undefined,
  { keep, stop, progress }: { keep: ReadonlySet<number>; stop: AbortSignal; progress: (done: number) => void }
): Promise<Look> {
  const counts = { wrong: 0, odd: 0, changed: 0, new: 0, unchanged: 0 }
  const first: Look['first'] = { wrong: [], odd: [], changed: [], new: [], unchanged: [] }
  const kept: Look['kept'] = new Map()
  let hidden = 0
  let done = 0
  for await (const verdict of verdicts(contents, mapping)) {
    stop.throwIfAborted()
    const groups: Group[] = verdict.odd.length > 0 ? ['odd', verdict.state] : [verdict.state]
    for (const group of groups) {
      counts[group]++
      if (first[group].length < mostShown) first[group].push(verdict)
    }
    if (verdict.state === 'new' && !verdict.input?.publicProduct) hidden++
    if (keep.has(verdict.place)) kept.set(verdict.place, verdict)
    if (++done % 100 === 0) progress(done)
  }
  return { mapping, counts, first, hidden, kept }
}
