import { setTimeout } from 'node:timers/promises'
import type { Test } from 'tap'
import { openDatabase } from '../../../features/database.ts'
import { migratedUrl } from '../database/database.ts'
import { random } from '../generated/seed.ts'
import { accessToken, query } from '../http/http.ts'
import { serve } from './process.ts'
import { addClient, addTemplates, addUser } from './service.ts'

/** Two processes on a store with templates to rename. `start` starts another one. */
export async function serveTwice(t: Test, env: NodeJS.ProcessEnv) {
  const url = await migratedUrl(t)
  // The machine is busy.
  const db = await openDatabase(url, { databaseQueryTimeout: 60 })
  t.teardown(() => db.destroy())
  await addUser(db)
  await addClient(db)
  await addTemplates(db, ...renamed)
  const start = () => serve(t, [], { DATABASE_URL: url, ...env })
  const instances = [await start(), await start()]
  return { db, start, instances, token: await accessToken(instances[0]?.url ?? '') }
}

const renamed = Array.from({ length: 12 }, (_, id) => ({ id, componentName: id % 2 ? 'A' : 'B' }))
/** Milliseconds between two writes: hundreds of changes are enough, and each takes time to send and to compare. */
const writePause = 10
const text =
  'mutation($id: Int!, $input: UpdateProductInput!) { updateProduct(id: $id, input: $input) { userErrors { message } } }'
const done = '{"data":{"updateProduct":{"userErrors":[]}}}'

/**
 * Renames templates by all processes, and moves some between the components A and B. A process may be killed and
 * replaced meanwhile. Returns the function that stops it.
 */
export function renameBy(instances: { url: string }[], token: string): () => Promise<unknown> {
  let isStopped = false
  const rename = async (writer: number) => {
    for (let turn = 0; !isStopped; turn++) {
      await setTimeout(writePause)
      const id = (7 * turn + writer) % renamed.length
      const componentName = random() < 0.3 ? (random() < 0.5 ? 'A' : 'B') : undefined
      const input = { name: `${writer}.${turn}`, ...(componentName && { componentName }) }
      const address = instances[writer]?.url ?? ''
      // The process was killed or is not ready yet.
      const result = await query(address, token, text, { variables: { id, input } }).catch(() =>
        setTimeout(20)
      )
      if (result && JSON.stringify(result.body) !== done) throw new Error(JSON.stringify(result.body))
    }
  }
  const writing = Promise.all(instances.map((_, writer) => rename(writer)))
  return () => {
    isStopped = true
    return writing
  }
}
