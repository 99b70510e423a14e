import { setImmediate } from 'node:timers/promises'
import type { PasswordCost } from '../credentials/password.ts'
import { listClients } from '../db/accounts/clients.ts'
import { listUsers } from '../db/accounts/users.ts'
import { engineOf } from '../db/dialects/engine.ts'
import type { Db } from '../db/schema.ts'
import {
  hasProductTemplates,
  insertProductTemplates,
  type ProductTemplate
} from '../db/templates/product-templates.ts'
import { transact } from '../db/transaction.ts'
import { demoUsers, insertDemoAccounts } from './accounts.ts'
import { demoTemplates } from './demo/product-templates.ts'
import { loadTemplates } from './load.ts'

/** Templates of one insert: nine parameters each, and SQLite takes 32,766. */
const batchSize = 100

/** True when nobody has put anything into the store. */
export async function isEmpty(db: Db): Promise<boolean> {
  if (await hasProductTemplates(db)) return false
  return (await listUsers(db)).length === 0 && (await listClients(db)).length === 0
}

/** Fills an empty store with the demo data. False, and nothing done, when it is not empty. */
export async function seedDemo(db: Db, cost: PasswordCost): Promise<boolean> {
  return seedTemplates(
    db,
    cost,
    () => demoTemplates,
    () => {}
  )
}

/**
 * Fills an empty store with `count` templates of about 3 KB and the demo accounts: all of it or nothing.
 * False, and nothing done, when it is not empty. `progress` hears how many templates are in.
 */
export async function seedLoad(
  db: Db,
  cost: PasswordCost,
  count: number,
  progress: (inserted: number) => void
): Promise<boolean> {
  return seedTemplates(db, cost, () => loadTemplates(count), progress)
}

async function seedTemplates(
  db: Db,
  cost: PasswordCost,
  templates: () => Iterable<ProductTemplate>,
  progress: (inserted: number) => void
): Promise<boolean> {
  if (!(await isEmpty(db))) return false
  const users = await demoUsers(cost)
  return transact(db, async transaction => {
    // Another process may have been faster.
    if (!(await isEmpty(transaction))) return false
    await insertDemoAccounts(transaction, users)
    let inserted = 0
    for (const batch of batches(templates())) {
      await insertProductTemplates(transaction, batch)
      inserted += batch.length
      progress(inserted)
      // The driver is synchronous: without a pause no progress is drawn and no signal is heard.
      await setImmediate()
    }
    await engineOf(transaction).analyze(transaction)
    return true
  })
}

function* batches(templates: Iterable<ProductTemplate>): Generator<ProductTemplate[]> {
  let batch: ProductTemplate[] = []
  for (const template of templates) {
    batch.push(template)
    if (batch.length < batchSize) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}
