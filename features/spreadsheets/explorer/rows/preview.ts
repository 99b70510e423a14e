import { readSchema } from '../../../../explorer/edit/schema.ts'
import { type Mapping, mapColumns } from '../../tables/mapping.ts'
import { readTable } from '../../tables/read-table.ts'
import type { Contents, OpenTable } from '../file/open-file.ts'
import type { Pictures } from '../pictures/chosen-pictures.ts'
import { findPictureColumns, linkPictures } from '../pictures/pictures.ts'
import { Parts, toSent } from '../sending/parts.ts'
import { checkWith } from './candidate.ts'
import { findRecords, findTemplates } from './find.ts'
import { markForbidden } from './forbidden.ts'
import { type Effect, isWritten, judge, type MatchedRecord, type Verdict } from './judge.ts'
import { findOdd } from './odd.ts'

/** Rows with the same effect. Odd rows belong to two groups. */
export type Group = Effect | 'odd'

/** A preview of the import: the counts, and the first rows of each group. */
export interface Preview {
  /** The mapping used; undefined if the file is not a table. */
  mapping: Mapping | undefined
  counts: Record<Group, number>
  first: Record<Group, Verdict[]>
  /** The number of new templates that would not be public. */
  hidden: number
  /** The number of pictures that the table names, and how many of them are missing. */
  pictures: { named: number; missing: number }
  /** The requested verdicts by place. */
  kept: Map<number, Verdict>
  /** The number of requests that write the new rows, and those that write new and changed rows. */
  parts: { new: number; all: number }
}

/** The maximum number of rows shown per group. */
export const maxShownRows = 500

/**
 * Determines the effect of each record of a file. Without `pictures`, cells do not name pictures. `imported` has the
 * places of records that are already imported: without a key, nothing else marks them as stored.
 */
export async function* judgeRecords(
  contents: Contents,
  mapping: Mapping | undefined,
  pictures: Pictures | undefined,
  imported: ReadonlySet<number>
): AsyncGenerator<Verdict> {
  const check = checkWith(await readSchema())
  const found =
    'table' in contents
      ? findRows(contents.table, mapping as Mapping, pictures)
      : findRecords(contents.records)
  async function* rest() {
    for await (const verdict of judge(found, check)) {
      const isDone = verdict.state === 'new' && imported.has(verdict.place)
      yield isDone ? { ...verdict, state: 'unchanged' as const } : verdict
    }
  }
  yield* markForbidden(rest())
}

async function* findRows(
  table: OpenTable,
  mapping: Mapping,
  pictures: Pictures | undefined
): AsyncGenerator<MatchedRecord> {
  const columns = pictures ? findPictureColumns(mapColumns(table.names, mapping, table.header.line)) : []
  const linked = table.rows.map(row => linkPictures(row, columns, pictures ?? new Map()))
  const byLine = new Map(linked.map(found => [found.row.line, found]))
  async function* rows() {
    for (const { row } of linked) yield row
  }
  const odd = findOdd({ ...table, rows: linked.map(({ row }) => row) }, mapping)
  for await (const record of readTable({ ...table, rows: rows() }, mapping, findTemplates)) {
    const { line: place } = record.row
    const { original: row, names = [], problems = [] } = byLine.get(place) ?? {}
    yield {
      ...{ ...record, row, place, odd: odd.get(place), pictures: names },
      problems: [...problems, ...record.problems]
    }
  }
}

interface Options {
  pictures: Pictures | undefined
  imported: ReadonlySet<number>
  /** The places of records whose verdicts are always returned. */
  keep: ReadonlySet<number>
  stop: AbortSignal
  onProgress: (done: number) => void
}

/**
 * Previews an import. Only the first verdicts of each group and those to keep are stored, because a table may have
 * 100,000 rows.
 */
export async function preview(
  contents: Contents,
  mapping: Mapping | undefined,
  { pictures, imported, keep, stop, onProgress }: Options
): Promise<Preview> {
  const counts = { wrong: 0, forbidden: 0, odd: 0, changed: 0, new: 0, unchanged: 0 }
  const first: Preview['first'] = { wrong: [], forbidden: [], odd: [], changed: [], new: [], unchanged: [] }
  const kept: Preview['kept'] = new Map()
  const named = new Set<string>()
  const [created, all] = [new Parts(), new Parts()]
  let hidden = 0
  let done = 0
  for await (const verdict of judgeRecords(contents, mapping, pictures, imported)) {
    stop.throwIfAborted()
    const groups: Group[] = verdict.odd.length > 0 ? ['odd', verdict.state] : [verdict.state]
    for (const group of groups) {
      counts[group]++
      if (first[group].length < maxShownRows) first[group].push(verdict)
    }
    if (verdict.state === 'new' && !verdict.input?.publicProduct) hidden++
    if (isWritten(verdict, false)) created.add(toSent(verdict))
    if (isWritten(verdict, true)) all.add(toSent(verdict))
    for (const name of verdict.pictures ?? []) named.add(name)
    if (keep.has(verdict.place)) kept.set(verdict.place, verdict)
    if (++done % 100 === 0) onProgress(done)
  }
  const missing = [...named].filter(name => !pictures?.has(name)).length
  const parts = { new: created.count, all: all.count }
  return { mapping, counts, first, hidden, pictures: { named: named.size, missing }, kept, parts }
}
