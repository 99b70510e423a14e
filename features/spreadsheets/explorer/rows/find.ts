import { editableFields } from '../../../../domain/columns.ts'
import { makeProblem } from '../../../../domain/validation/problem.ts'
import { maxPageSize, readTemplates } from '../../../../explorer/all-templates.ts'
import { traitOfKey } from '../../tables/mapping.ts'
import { type FindTemplates, maxFound, toKeyValues } from '../../tables/read-table.ts'
import type { StoredTemplate } from '../../tables/row.ts'
import type { FileRecord } from '../file/parse-records.ts'
import type { MatchedRecord } from './judge.ts'

/** Finds stored templates by id, product id, name or a trait. */
export const findTemplates: FindTemplates = async (key, values) => {
  const type = traitOfKey(key)
  const where =
    type === undefined
      ? { [key]: { in: key === 'id' ? values.map(Number) : values } }
      : { trait: { type, in: toKeyValues(values) } }
  const found: StoredTemplate[] = []
  for await (const templates of readTemplates<StoredTemplate>(['id', 'revision', ...editableFields], where)) {
    found.push(...templates)
    if (found.length > maxFound) break
  }
  return found
}

/** Finds the stored templates of JSON records by their ids. */
export async function* findRecords(records: FileRecord[]): AsyncGenerator<MatchedRecord> {
  for (let at = 0; at < records.length; at += maxPageSize) {
    const some = records.slice(at, at + maxPageSize)
    const ids = some.map(({ value }) => value?.id).filter(id => Number.isInteger(id))
    const found = ids.length > 0 ? await findTemplates('id', ids.map(String)) : []
    const stored = new Map(found.map(template => [template.id, template]))
    for (const { place, value, problem } of some) {
      const problems = problem === undefined ? [] : [makeProblem('UNREADABLE', problem)]
      yield { place, values: value, problems, stored: stored.get(Number(value?.id)) }
    }
  }
}
