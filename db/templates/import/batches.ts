import { setImmediate } from 'node:timers/promises'
import type { Db } from '../../schema.ts'
import { findFreeId } from '../revisions/free-id.ts'
import { maxInt } from '../table/columns.ts'
import { makeProblem } from '../validation/problem.ts'
import type { ImportRecord, ImportRecords, Source, Work } from './options.ts'
import { type NewTemplate, type Problem, readRecord } from './record.ts'

/** A template to write, with its id. */
export interface Incoming<Place> extends Source<Place> {
  template: NewTemplate & { id: number }
}

/** Templates per batch, and maximum characters of their documents; a single one may be longer. */
const batchSize = 100
const maxCharacters = 2 ** 20
/** Maximum characters of documents of templates without an id that wait for the end. */
const maxWaitingCharacters = 2 ** 23

/**
 * Reads and checks records, in batches. Templates without an id come last, so that they take no id that another
 * template of the import has; if they are too many to wait, some come earlier.
 */
export async function* readBatches<Place>(
  db: Db,
  records: ImportRecords<Place>,
  work: Work<Place>
): AsyncGenerator<Incoming<Place>[]> {
  const batch = new Batch<Incoming<Place>>()
  const waiting = new Batch<Source<Place> & { template: NewTemplate }>()
  for await (const record of records) {
    const source = { place: record.place, index: work.counts.read++ }
    const template = check(record, source, work)
    if (work.stopped) return
    if (template?.id === undefined) {
      if (template) waiting.add({ template, ...source })
    } else if (work.claimId(template.id, source))
      batch.add({ template: { ...template, id: template.id }, ...source })
    if (waiting.characters > maxWaitingCharacters) {
      yield batch.take()
      yield* giveIds(db, waiting.take(), work)
    }
    if (batch.size >= batchSize || batch.characters > maxCharacters) yield batch.take()
    // The SQLite driver is synchronous: without a pause, neither progress nor signals are handled.
    if (work.counts.read % batchSize === 0) await setImmediate()
    if (work.stopped) return
  }
  yield batch.take()
  yield* giveIds(db, waiting.take(), work)
}

/** Returns the template of a record, and reports its problems. */
function check<Place>(
  { values, problems: given = [], unreadable }: ImportRecord<Place>,
  source: Source<Place>,
  work: Work<Place>
): NewTemplate | undefined {
  if (unreadable || given.length > 0) {
    work.refuse(given, source, unreadable)
    return undefined
  }
  const { template, problems } = readRecord(values)
  const { problems: more = [], warnings = [] } = work.options.validate?.(template) ?? {}
  // What is known of a field is not said twice.
  const known = new Set(problems.map(({ path: [field] }) => (field === 'document' ? 'data' : field)))
  const isNew = ({ path: [field] }: Problem) => !known.has(undefined) && !known.has(field)
  work.warn(warnings.filter(isNew), source)
  problems.push(...more.filter(isNew))
  if (problems.length === 0) return template
  work.refuse(problems, source)
  return undefined
}

/** Gives the next free ids to templates without one. */
async function* giveIds<Place>(
  db: Db,
  templates: (Source<Place> & { template: NewTemplate })[],
  work: Work<Place>
): AsyncGenerator<Incoming<Place>[]> {
  if (templates.length === 0) return
  let next = Math.max((await findFreeId(db)) ?? maxInt + 1, work.highestId + 1)
  for (let start = 0; start < templates.length && !work.stopped; start += batchSize) {
    const batch: Incoming<Place>[] = []
    for (const { template, ...source } of templates.slice(start, start + batchSize)) {
      const id = next++
      if (id > maxInt) work.refuse([makeProblem('NO_FREE_ID', 'no id is free', 'id')], source)
      else if (work.claimId(id, source)) batch.push({ template: { ...template, id }, ...source })
    }
    yield batch
  }
}

/** Templates that are written together. */
class Batch<T extends { template: NewTemplate }> {
  #items: T[] = []
  characters = 0

  get size(): number {
    return this.#items.length
  }

  add(item: T): void {
    this.#items.push(item)
    this.characters += item.template.data.length
  }

  take(): T[] {
    const items = this.#items
    this.#items = []
    this.characters = 0
    return items
  }
}
