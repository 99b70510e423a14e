// Runs in test:all only.
/** Valid and broken operations, generated from the schema, cause no internal error. `SECONDS=60` is thorough. */
import { readFileSync } from 'node:fs'
import { t } from 'tap'
import { openDatabase } from '../../features/database.ts'
import { migratedUrl } from '../support/database/database.ts'
import fc from '../support/generated/fast-check.ts'
import { seed } from '../support/generated/seed.ts'
import { accessToken } from '../support/http/http.ts'
import { serve } from '../support/service/process.ts'
import { addClient, addUser } from '../support/service/service.ts'
import { anyOperation } from './generate.ts'
import { addAwkwardTemplates } from './reading/store.ts'

/** Operations of each half. */
const runs = 200 * Number(process.env.SECONDS ?? 1)

const internal =
  /sqlite|postgres|product_[a-z]|\bselect\b.*\bfrom\b|syntax error at|node_modules|\.ts:|\/work|at Object/i

t.test('no response is an internal error or reveals internals, and the process stays healthy', async t => {
  const url = await migratedUrl(t)
  const db = await openDatabase(url)
  await addUser(db, { role: 'admin' })
  await addClient(db, { scopes: ['read', 'write', 'admin'] })
  await addAwkwardTemplates(db, 60)
  await db.destroy()
  const service = await serve(t, [], { DATABASE_URL: url, PASSWORD_MEMORY: '7168' })
  const token = await accessToken(service.url, { scope: 'read admin' })
  const statuses: Record<string, number> = {}
  const ask = async (number: number, method: string): Promise<void> => {
    const text = anyOperation(number)
    const accept = number % 2 ? 'application/json' : 'application/graphql-response+json'
    const headers = { authorization: `Bearer ${token}`, accept, 'content-type': 'application/json' }
    const address = `${service.url}/graphql?query=${encodeURIComponent(text.toWellFormed())}`
    // Node refuses a head of 16 KiB before there is a request.
    const response =
      method === 'GET' && address.length < 15_000
        ? await fetch(address, { headers })
        : await fetch(`${service.url}/graphql`, {
            method: 'POST',
            headers,
            body: JSON.stringify({ query: text })
          })
    const body = await response.text()
    statuses[response.status] = (statuses[response.status] ?? 0) + 1
    const { data, errors } = JSON.parse(body)
    const told = (errors ?? []).map(({ message }: { message: string }) => message).join('\n')
    const fault = errors?.some(
      ({ extensions }: { extensions?: { code?: string } }) => extensions?.code === 'INTERNAL_SERVER_ERROR'
    )
    const answered = data !== undefined || errors !== undefined
    if (response.status >= 500 || fault || internal.test(told) || !answered)
      throw new Error(`${response.status} ${body.slice(0, 1000)}`)
  }
  const run = (half: number) =>
    fc.assert(fc.asyncProperty(fc.integer({ min: 0, max: 2 ** 31 }), fc.constantFrom('POST', 'GET'), ask), {
      seed: seed + half,
      numRuns: runs
    })
  const memory = () =>
    Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${service.child.pid}/status`, 'utf8'))?.[1])
  // Until the caches are full.
  await run(0)
  const warm = memory()
  await run(1)
  t.comment(`answers: ${JSON.stringify(statuses)}; resident memory ${warm} kB, then ${memory()} kB`)
  t.ok((statuses[200] ?? 0) > 3 && (statuses[400] ?? 0) > 3, 'of both kinds')
  // What is kept on purpose may still grow up to its limit of 128 MiB; a machine under load warms up slowly.
  t.ok(memory() < warm + 192 * 1024, 'no more memory than before')
  t.equal((await fetch(`${service.url}/livez`)).status, 200)
})
