import type { Mapping } from '../../tables/mapping.ts'
import { readTable } from '../../tables/read-table.ts'
import { readSchema } from '../edit/schema.ts'
import { checkWith } from './candidate.ts'
import { findRecords, findTemplates } from './find.ts'
import { type Found, judge, type State, type Verdict } from './judge.ts'
import type { Contents, OpenTable } from './open-file.ts'

/** What an import would do: how many of each, and the first ones to look at. */
export interface Look {
  /** Of a table: what its columns became. */
  mapping: Mapping | undefined
  counts: Record<State, number>
  first: Record<State, Verdict[]>
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
  for await (const record of readTable({ ...table, rows: rows() }, mapping, findTemplates))
    yield { ...record, place: record.row.line }
}

/** Looks at all records. Keeps only what is shown: a table may have 100,000 rows. */
export async function look(
  contents: Contents,
  mapping: Mapping | undefined,
  { stop, progress }: { stop: AbortSignal; progress: (done: number) => void }
): Promise<Look> {
  const counts = { wrong: 0, changed: 0, new: 0, unchanged: 0 }
  const first: Look['first'] = { wrong: [], changed: [], new: [], unchanged: [] }
  let done = 0
  for await (const verdict of verdicts(contents, mapping)) {
    stop.throwIfAborted()
    counts[verdict.state]++
    if (first[verdict.state].length < mostShown) first[verdict.state].push(verdict)
    if (++done % 100 === 0) progress(done)
  }
  return { mapping, counts, first }
}
