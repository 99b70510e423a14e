import type { ProductTemplate, TemplateValues } from '../../../../domain/columns.ts'
import { makeProblem } from '../../../../domain/validation/problem.ts'
import { type Problem, toSentence } from '../../../../explorer/edit/problem.ts'
import { compareFields } from '../../../../explorer/template/compare-fields.ts'
import type { MappedColumn } from '../../tables/mapping.ts'
import { type StoredTemplate, writeRow } from '../../tables/row.ts'
import type { TableRow } from '../../tables/table.ts'
import type { Checked, Input } from './candidate.ts'
import type { OddCell } from './odd.ts'

/** A record of a file, with the stored template that it changes. */
export interface MatchedRecord {
  place: number
  row?: TableRow | undefined
  values?: Record<string, unknown> | undefined
  problems: Problem[]
  /** Cells that are valid but look wrong. */
  odd?: OddCell[] | undefined
  /** The picture files that the row names. */
  pictures?: string[]
  stored?: StoredTemplate | undefined
  /** Returns the column of a problem. */
  findColumn?: (problem: Problem) => string | undefined
}

export type Effect = 'wrong' | 'forbidden' | 'changed' | 'new' | 'unchanged'

/** The effect of a record. */
export interface Verdict extends Pick<MatchedRecord, 'place' | 'row' | 'stored' | 'pictures'> {
  name: string
  state: Effect
  /** The problems, why the user may not write the row, or the differences. */
  details: string
  /** The columns with problems. */
  columns: string[]
  /** The odd cells of a row that would be written. */
  odd: OddCell[]
  input?: Input | undefined
}

/** Whether the import writes a record. */
export const isWritten = ({ state }: Verdict, replaces: boolean): boolean =>
  state === 'new' || (replaces && state === 'changed')

/** Whether the import skips a record, although it says something new. */
export const isSkipped = ({ state }: Verdict): boolean => state === 'wrong' || state === 'forbidden'

/** Determines the effect of each record. */
export async function* judge(
  found: AsyncIterable<MatchedRecord>,
  check: (values: Record<string, unknown>) => Checked
): AsyncGenerator<Verdict> {
  const ids = new Set<number>()
  for await (const record of found) {
    const { input, problems } = record.values ? check(record.values) : { problems: [] }
    const verdict = { ...record, name: String(record.values?.name ?? ''), input }
    const wrong = [...record.problems, ...problems]
    // Two rows with the same key have the same template, which is a problem of their key.
    if (input?.id !== undefined && ids.has(input.id) && record.problems.length === 0)
      wrong.push(makeProblem('DUPLICATE_ID', 'is in the file twice', 'id'))
    ids.add(input?.id ?? -1)
    if (wrong.length > 0 || !input)
      yield { ...verdict, odd: [], state: 'wrong', ...describeWrong(record, wrong) }
    else {
      const { state, details } = compare(record.stored, input)
      const odd = state === 'unchanged' ? [] : (record.odd ?? [])
      yield { ...verdict, odd, columns: [], state, details }
    }
  }
}

function describeWrong(
  { findColumn }: MatchedRecord,
  problems: Problem[]
): Pick<Verdict, 'details' | 'columns'> {
  const columns = problems.map(problem => findColumn?.(problem))
  const sentences = problems.map((problem, at) => {
    const column = columns[at]
    return column === undefined ? toSentence(problem) : `${column}: ${problem.message}`
  })
  return {
    details: [...new Set(sentences)].join('; '),
    columns: columns.filter(column => column !== undefined)
  }
}

function compare(stored: StoredTemplate | undefined, input: Input): Pick<Verdict, 'state' | 'details'> {
  if (!stored) return { state: 'new', details: '' }
  const changes = compareFields(stored, { ...stored, ...input }).map(({ label }) => label)
  if (changes.length > 0) return { state: 'changed', details: changes.join(', ') }
  return stored.data === input.data
    ? { state: 'unchanged', details: '' }
    : { state: 'changed', details: 'only the bytes of the data' }
}

/** Returns the texts of a changed row's columns, before and after. */
export function textsOf(
  { stored, input }: Verdict,
  columns: MappedColumn[]
): { before: string[]; after: string[] } {
  const write = (values: Partial<TemplateValues>) =>
    writeRow({ ...stored, ...values } as ProductTemplate, columns)
  return { before: stored ? write({}) : [], after: write(input ?? {}) }
}
