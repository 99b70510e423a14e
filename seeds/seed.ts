import { readFileSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { listStoredClients } from '../db/accounts/clients.ts'
import { listStoredUsers } from '../db/accounts/users.ts'
import { engineOf } from '../db/dialects/engine.ts'
import type { Db } from '../db/schema.ts'
import { hasProductTemplates } from '../db/templates/product-templates.ts'
import { writeDecisions } from '../db/templates/writing/apply.ts'
import { fullRights } from '../db/templates/writing/rights.ts'
import { transact } from '../db/transaction.ts'
import { defaultValues, type ProductTemplate } from '../domain/columns.ts'
import type { PasswordCost } from '../options/service.ts'
import { locate } from '../runtime/package/package-files.ts'
import { createDemoUsers, insertDemoAccounts } from './accounts.ts'
import { generateLoadTemplates } from './load.ts'

/**
 * The demo templates. Together they show every irregularity of real documents, such as white space that must be served
 * as it was stored. The file has the format of `product-templates export`, and may lack columns with a usual value.
 */
export const demoTemplates: ProductTemplate[] = JSON.parse(
  readFileSync(locate('seeds/demo.json'), 'utf8')
).map((template: object) => ({ ...defaultValues, ...template }))

/** Templates per insert. Each has nine parameters; SQLite allows 32,766. */
const batchSize = 100

/** Whether the database has no templates, users or clients. */
export async function isEmpty(db: Db): Promise<boolean> {
  if (await hasProductTemplates(db)) return false
  if ((await listStoredUsers(db)).length > 0) return false
  // Without users, a public client of the house can do nothing; the explorer adds one when its page is asked for.
  return (await listStoredClients(db)).every(({ isPublic, firstParty }) => isPublic && firstParty)
}

/** Adds the demo data to an empty database. Returns false and does nothing if it is not empty. */
export const seedDemo = (db: Db, cost: PasswordCost): Promise<boolean> =>
  seedTemplates(db, cost, () => demoTemplates)

/**
 * Adds `count` templates of about 3 KB and the demo accounts to an empty database, in one transaction. Returns false
 * and does nothing if it is not empty. `progress` is called with the number of templates inserted so far.
 */
export const seedLoad = (
  db: Db,
  cost: PasswordCost,
  count: number,
  progress: (inserted: number) => void
): Promise<boolean> => seedTemplates(db, cost, () => generateLoadTemplates(count), progress)

async function seedTemplates(
  db: Db,
  cost: PasswordCost,
  templates: () => Iterable<ProductTemplate>,
  progress: (inserted: number) => void = () => {}
): Promise<boolean> {
  if (!(await isEmpty(db))) return false
  const users = await createDemoUsers(cost)
  const seeded = await transact(db, async transaction => {
    // Another process may have filled it since.
    if (!(await isEmpty(transaction))) return false
    await insertDemoAccounts(transaction, users)
    let inserted = 0
    for (const batch of batches(templates())) {
      const decisions = batch.map(after => ({ kind: 'create' as const, after }))
      await writeDecisions(transaction, decisions, 'CREATE', fullRights)
      inserted += batch.length
      progress(inserted)
      // The SQLite driver is synchronous: without a pause, neither progress nor signals are handled.
      await setImmediate()
    }
    return true
  })
  if (seeded) await engineOf(db).analyze(db)
  return seeded
}

/** Splits templates into those of one insert. */
export function* batches(templates: Iterable<ProductTemplate>): Generator<ProductTemplate[]> {
  let batch: ProductTemplate[] = []
  for (const template of templates) {
    batch.push(template)
    if (batch.length < batchSize) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}
