import { columns, type FieldName, fieldNames, maxInt } from '../../../domain/columns.ts'
import { isTimestamp } from '../../../domain/timestamp.ts'
import { apiWords, checkField, type Fault } from '../../../domain/validation/fields.ts'
import { makeProblem } from '../../../domain/validation/problem.ts'
import { requireJson } from '../../../domain/validation/validate.ts'
import { yieldToEventLoop } from '../../../runtime/event-loop.ts'
import { isObject } from '../../../runtime/json-values.ts'
import { findNearest } from '../../../runtime/nearest.ts'
import type { Db } from '../../schema.ts'
import { isTransaction } from '../../transaction.ts'
import { findFreeId, findUsedId, takeIds } from '../writing/write.ts'
import type { ImportRecord, ImportRecords, ImportReport, NewTemplate, Problem, Source } from './report.ts'

/** A template without problems. */
interface Checked<Place> extends Source<Place> {
  template: NewTemplate
}

/** A template to write, with its id. */
export interface Incoming<Place> extends Source<Place> {
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
): AsyncGenerator<Incoming<Place>[]> {
  let batch: Incoming<Place>[] = []
  let waiting: Checked<Place>[] = []
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
      batch.push({ template: template as Incoming<Place>['template'], ...source })
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

const countCharacters = (batch: Checked<unknown>[]): number =>
  batch.reduce((sum, { template }) => sum + template.data.length, 0)

/** Returns the template of a record; undefined if it has problems. Reports problems and warnings. */
function check<Place>(
  { values, problems: given = [], unreadable }: ImportRecord<Place>,
  source: Source<Place>,
  report: ImportReport<Place>
): NewTemplate | undefined {
  if (unreadable || given.length > 0) {
    report.refuse(given, source, unreadable)
    return undefined
  }
  const { template, problems } = readRecord(values)
  const { problems: more, warnings } = (report.options.validate ?? requireJson)(template)
  // A field with a problem gets no further ones.
  const known = new Set(problems.map(({ path: [field] }) => (field === 'document' ? 'data' : field)))
  const isNew = ({ path: [field] }: Problem) => !known.has(undefined) && !known.has(field)
  report.warn(warnings.filter(isNew), source)
  problems.push(...more.filter(isNew))
  if (problems.length === 0) return template
  report.refuse(problems, source)
  return undefined
}

/**
 * Converts a record to a template. A record has the nine fields, named as in GraphQL; `document`, an object, may
 * replace `data`. Also returns all problems. The template lacks the fields with problems.
 */
function readRecord(record: unknown): { template: NewTemplate; problems: Problem[] } {
  const values: Record<string, unknown> = {}
  const template = values as unknown as NewTemplate
  if (!isObject(record))
    return { template, problems: [makeProblem('WRONG_TYPE', 'a template must be a JSON object')] }
  const { document, ...fields } = record
  const problems = Object.keys(fields).flatMap(findUnknownField)
  const found = document == null ? undefined : readDocumentField(document, fields)
  if (found) problems.push(found)
  for (const field of fieldNames) {
    if (field === 'data' && found) continue
    const value = fields[field]
    const fault = checkField(field, value, apiWords) ?? checkTime(field, value)
    if (fault) problems.push(makeProblem(fault.code, fault.message, field))
    else if (value != null) values[field] = value
  }
  return { template, problems }
}

function findUnknownField(name: string): Problem[] {
  const known: string[] = fieldNames
  if (known.includes(name)) return []
  const near = findNearest(name, [...known, 'document'])
  const shown = name.length > 40 ? `${name.slice(0, 40).toWellFormed()}…` : name
  const message = `"${shown}" is not a field${near ? `: did you mean "${near}"?` : ''}`
  return [makeProblem('UNKNOWN_FIELD', message, shown)]
}

/** Writes the document as `data`. Returns a problem if that is impossible. */
function readDocumentField(document: unknown, fields: Record<string, unknown>): Problem | undefined {
  if (fields.data != null) return makeProblem('AMBIGUOUS', 'give either data or document', 'document')
  if (!isObject(document)) return makeProblem('WRONG_TYPE', 'document must be a JSON object', 'document')
  try {
    fields.data = JSON.stringify(document)
    return undefined
  } catch {
    return makeProblem('TOO_DEEP', 'document is nested too deeply', 'document')
  }
}

/** Checks the format of a time. Only imports give times. */
function checkTime(field: FieldName, value: unknown): Fault | undefined {
  if (value == null || columns[field].type !== 'time' || isTimestamp(String(value))) return undefined
  return { code: 'INVALID_TEXT', message: `${field} must be a UTC time such as 2026-01-31T09:30:00.000000Z` }
}

/** Gives templates without an id free ones after those of the import so far. */
async function* giveIds<Place>(
  db: Db,
  templates: Checked<Place>[],
  report: ImportReport<Place>
): AsyncGenerator<Incoming<Place>[]> {
  for (let start = 0; start < templates.length && !report.stopped; start += batchSize) {
    const given = templates.slice(start, start + batchSize)
    const ids = await chooseIds(db, given.length, report)
    const batch: Incoming<Place>[] = []
    for (const [index, { template, ...source }] of given.entries()) {
      const id = ids[index]
      if (id === undefined) report.refuse([makeProblem('NO_FREE_ID', 'no id is free', 'id')], source)
      else if (report.claimId(id, source)) batch.push({ template: { ...template, id }, ...source })
    }
    yield batch
  }
}

/** Chooses at most `count` free ids, in ascending order. */
async function chooseIds<Place>(db: Db, count: number, report: ImportReport<Place>): Promise<number[]> {
  const takes = isTransaction(db) && !report.options.dryRun && !report.refused
  // Takes ids from the sequence. Otherwise others who create templates would wait for the end of the import.
  const ids = takes ? (await takeIds(db, count)).filter(id => id > report.highestId) : []
  if (ids.length === count) return ids
  const free = (await findFreeId(db, { locks: takes })) ?? maxInt + 1
  const first = Math.max(free, report.highestId + 1, (ids.at(-1) ?? -1) + 1)
  const end = (await findUsedId(db, first - 1)) ?? maxInt + 1
  const missing = Math.min(count - ids.length, end - first)
  return [...ids, ...Array.from({ length: Math.max(0, missing) }, (_, index) => first + index)]
}
