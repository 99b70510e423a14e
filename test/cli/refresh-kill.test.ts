// Runs on SQLite only, in test:all only: durability.test.ts covers this on PostgreSQL.
import { t } from 'tap'
import { hashSecret } from '../../accounts/credentials/secrets.ts'
import type { Db } from '../../db/schema.ts'
import { openDatabase } from '../../features/database.ts'
import { migratedUrl } from '../support/database/database.ts'
import { basic, tokenRequest } from '../support/http/http.ts'
import { serve } from '../support/service/process.ts'
import { addClient, addUser, client } from '../support/service/service.ts'

const headers = { authorization: basic('app', client.secret) }
const kills = 4
/** Refreshes under way at each kill. */
const refreshes = 3
/** Milliseconds by which the kills differ; after all of them the next refresh has begun. */
const step = 1

async function logIn(url: string): Promise<string> {
  const response = await tokenRequest(url, {}, headers)
  return ((await response.json()) as { refresh_token: string }).refresh_token
}

function refresh(url: string, token: string): Promise<unknown> {
  const password = { username: undefined, password: undefined }
  const form = { grant_type: 'refresh_token', ...password, refresh_token: token }
  return tokenRequest(url, form, headers).catch(() => undefined)
}

/** Waits more exactly than a timer. */
async function pass(milliseconds: number): Promise<void> {
  const end = performance.now() + milliseconds
  while (performance.now() < end) await new Promise(resolve => setImmediate(resolve))
}

/** Reads all generations of the login that began with a token. */
async function readFamily(db: Db, token: string) {
  const refreshTokens = db.selectFrom('product_refresh_token').selectAll()
  const { family_id } = await refreshTokens.where('hash', '=', hashSecret(token)).executeTakeFirstOrThrow()
  return refreshTokens.where('family_id', '=', family_id).orderBy('generation').execute()
}

t.test('R03 after a crash during a refresh, either the old token or the new one works', async t => {
  const url = await migratedUrl(t)
  const db = await openDatabase(url)
  t.teardown(() => db.destroy())
  await addUser(db)
  await addClient(db, { id: 'app', grantTypes: ['password', 'refresh_token'] })

  const seen = { old: 0, new: 0 }
  for (let kill = 0; kill < kills; kill++) {
    const service = await serve(t, [], { DATABASE_URL: url })
    const logins: string[] = []
    while (logins.length < refreshes) logins.push(await logIn(service.url))
    const refreshed: Promise<unknown>[] = []
    for (const token of logins) {
      if (refreshed.length > 0) await pass(kills * step)
      refreshed.push(refresh(service.url, token))
    }
    // The kill comes a little later each time, the last one after the first answer.
    await pass(kill * step)
    if (kill === kills - 1) await refreshed[0]
    service.child.kill('SIGKILL')
    await Promise.all([...refreshed, service.ended])

    for (const token of logins) {
      const tokens = await readFamily(db, token)
      const usable = tokens.filter(token => token.time_used === null)
      t.equal(usable.length, 1, 'never neither, never both')
      t.equal(usable[0]?.generation, tokens.length - 1)
      seen[tokens.length === 1 ? 'old' : 'new']++
    }
  }
  t.ok(seen.old > 0 && seen.new > 0, `killed before: ${seen.old}, after: ${seen.new}`)
})
