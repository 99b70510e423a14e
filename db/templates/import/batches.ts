import { maxInt } from '../../../domain/columns.ts'
import { makeProblem } from '../../../domain/validation/problem.ts'
import { type NewTemplate, readRecord } from '../../../domain/validation/record.ts'
import { requireJson } from '../../../domain/validation/validate.ts'
import { yieldToEventLoop } from '../../../runtime/event-loop.ts'
import type { Db } from '../../schema.ts'
import { isTransaction } from '../../transaction.ts'
import { findFreeId, findUsedId, takeIds } from '../writing/write.ts'
import type { ImportRecord, ImportRecords, ImportReport, Problem, Source } from './report.ts'

/** A template without problems. */
interface CheckedTemplate<Place> extends Source<Place> {
  template: NewTemplate
}

/** A template to write, with its id. */
export interface IncomingTemplate<Place> extends Source<Place> {
  template: NewTemplate & { id: number }
}

/** Templates per batch. */
const batchSize = 100
/** Characters of the documents of a batch. A single document may be longer. */
const maxCharacters = 2 ** 20
/** Characters of the documents of templates that wait for an id. */
const maxWaitingCharacters = 2 ** 23

/**
 * Reads and checks records in batches. Templates without an id wait until the end, so that they do not take the id of
 * another template of the import. If too many wait, they get their ids earlier.
 */
export async function* readBatches<Place>(
  db: Db,
  records: ImportRecords<Place>,
  report: ImportReport<Place>
): AsyncGenerator<IncomingTemplate<Place>[]> {
  let batch: IncomingTemplate<Place>[] = []
  let waiting: CheckedTemplate<Place>[] = []
  let waitingCharacters = 0
  for await (const record of records) {
    const { place, expectedRevision } = record
    const source = { place, expectedRevision, index: report.result.read++ }
    const template = check(record, source, report)
    if (report.stopped) return
    if (template && template.id === undefined) {
      waiting.push({ template, ...source })
      waitingCharacters += template.data.length
    } else if (template && report.claimId(template.id as number, source))
      batch.push({ template: template as IncomingTemplate<Place>['template'], ...source })
    if (waitingCharacters > maxWaitingCharacters) {
      // Moves the sequence behind the ids of the records so far.
      yield batch
      batch = []
      yield* giveIds(db, waiting, report)
      waiting = []
      waitingCharacters = 0
    }
    if (batch.length >= batchSize || countCharacters(batch) > maxCharacters) {
      yield batch
      batch = []
    }
    // The SQLite driver is synchronous: without a pause, neither progress nor signals are handled.
    await yieldToEventLoop()
    if (report.stopped) return
  }
  yield batch
  yield* giveIds(db, waiting, report)
}

const countCharacters = (batch: CheckedTemplate<unknown>[]): number =>
  batch.reduce((sum, { template }) => sum + template.data.length, 0)

/** Returns the template of a record; undefined if it has problems. Reports problems and warnings. */
function check<Place>(
  { values, problems: readProblems = [], unreadable }: ImportRecord<Place>,
  source: Source<Place>,
  report: ImportReport<Place>
): NewTemplate | undefined {
  if (unreadable || readProblems.length > 0) {
    report.refuse(readProblems, source, unreadable)
    return undefined
  }
  const { template, problems } = readRecord(values)
  const { problems: more, warnings } = (report.options.validate ?? requireJson)(template)
  // A field with a problem gets no further ones.
  const fieldsWithProblems = new Set(
    problems.map(({ path: [field] }) => (field === 'document' ? 'data' : field))
  )
  const isNew = ({ path: [field] }: Problem) =>
    !fieldsWithProblems.has(undefined) && !fieldsWithProblems.has(field)
  report.warn(warnings.filter(isNew), source)
  const all: Problem[] = [...problems, ...more.filter(isNew)]
  if (all.length === 0) return template
  report.refuse(all, source)
  return undefined
}

/** Gives free ids, above all ids of the import so far, to templates without an id. */
async function* giveIds<Place>(
  db: Db,
  templates: CheckedTemplate<Place>[],
  report: ImportReport<Place>
): AsyncGenerator<IncomingTemplate<Place>[]> {
  for (let start = 0; start < templates.length && !report.stopped; start += batchSize) {
    const group = templates.slice(start, start + batchSize)
    const ids = await chooseIds(db, group.length, report)
    const batch: IncomingTemplate<Place>[] = []
    for (const [index, { template, ...source }] of group.entries()) {
      const id = ids[index]
      if (id === undefined) report.refuse([makeProblem('NO_FREE_ID', 'no id is free', 'id')], source)
      else if (report.claimId(id, source)) batch.push({ template: { ...template, id }, ...source })
    }
    yield batch
  }
}

/** Chooses at most `count` free ids, in ascending order. */
async function chooseIds<Place>(db: Db, count: number, report: ImportReport<Place>): Promise<number[]> {
  const takes = isTransaction(db) && report.isWriting
  // Takes ids from the sequence. Otherwise others who create templates would wait for the end of the import.
  const ids = takes ? (await takeIds(db, count)).filter(id => id > report.highestId) : []
  if (ids.length === count) return ids
  const free = (await findFreeId(db, { locks: takes })) ?? maxInt + 1
  const first = Math.max(free, report.highestId + 1, (ids.at(-1) ?? -1) + 1)
  const end = (await findUsedId(db, first - 1)) ?? maxInt + 1
  const missing = Math.min(count - ids.length, end - first)
  return [...ids, ...Array.from({ length: Math.max(0, missing) }, (_, index) => first + index)]
}
