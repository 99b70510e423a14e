import { engineOf } from '../../db/dialects/engine.ts'
import type { Db } from '../../db/schema.ts'
import { transact } from '../../db/transaction.ts'
import { generateLoadTemplates } from '../../seeds/load.ts'
import { insertProductTemplates } from '../support/database/insert.ts'
import { addTemplates } from '../support/service/service.ts'
import { awkwardTemplates } from './reading/store.ts'

/** Ids of templates that are unlike the others start here. */
const firstOddId = 1_000_000
const largeDocuments = 12

/**
 * Adds usual templates, some of every kind of value, large documents, and one with 10,000 entries of a hundred traits.
 * The planner knows them, as after an import.
 */
export async function addMixedTemplates(db: Db, count: number): Promise<void> {
  const templates = [
    ...generateLoadTemplates(count),
    ...awkwardTemplates(200).map(template => ({ ...template, id: template.id + firstOddId }))
  ]
  await transact(db, async transaction => {
    for (let start = 0; start < templates.length; start += 100)
      await insertProductTemplates(transaction, templates.slice(start, start + 100))
  })
  const text = 'word '.repeat(700)
  const large = Array.from({ length: 70 }, (_, n) => ({ trait_type: `t${n}`, value: text }))
  const many = Array.from({ length: 10_000 }, (_, n) => ({ trait_type: `m${n % 100}`, value: n }))
  await addTemplates(
    db,
    ...Array.from({ length: largeDocuments }, (_, index) => ({
      id: 2 * firstOddId + index,
      data: JSON.stringify({ attributes: index === 0 ? many : large })
    }))
  )
  await engineOf(db).analyze(db)
}
