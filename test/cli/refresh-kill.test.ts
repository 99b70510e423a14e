import { t } from 'tap'
import { openDatabase } from '../../db/connect.ts'
import { databaseUrl } from '../database.ts'
import { basic, tokenRequest } from '../http.ts'
import { serve } from '../process.ts'
import { addClient, addUser, client } from '../service.ts'

t.test('R03 after a crash during a refresh, either the old token or the new one works', async t => {
  const url = await databaseUrl(t)
  const headers = { authorization: basic('app', client.secret) }
  const db = await openDatabase(url)
  t.teardown(() => db.destroy())
  await addUser(db)
  await addClient(db, { id: 'app', grantTypes: ['password', 'refresh_token'] })

  const seen = { old: 0, new: 0 }
  for (let turns = 0; turns < 12; turns++) {
    const service = await serve(t, [], { DATABASE_URL: url })
    const login = (await (await tokenRequest(service.url, {}, headers)).json()) as { refresh_token: string }
    const form = {
      grant_type: 'refresh_token',
      username: undefined,
      password: undefined,
      refresh_token: login.refresh_token
    }
    const refreshed = tokenRequest(service.url, form, headers).catch(() => undefined)
    // The kill comes a little later each time, the last one after the answer.
    const until = performance.now() + turns * 1.5
    while (performance.now() < until) await new Promise(resolve => setImmediate(resolve))
    if (turns === 11) await refreshed
    service.child.kill('SIGKILL')
    await Promise.all([refreshed, service.ended])

    const { id } = await db
      .selectFrom('product_token_family')
      .select('id')
      .orderBy('time_created', 'desc')
      .executeTakeFirstOrThrow()
    const tokens = await db
      .selectFrom('product_refresh_token')
      .selectAll()
      .where('family_id', '=', id)
      .orderBy('generation')
      .execute()
    const usable = tokens.filter(token => token.time_used === null)
    t.equal(usable.length, 1, 'never neither, never both')
    t.equal(usable[0]?.generation, tokens.length - 1)
    seen[tokens.length === 1 ? 'old' : 'new']++
  }
  t.ok(seen.old > 0 && seen.new > 0, `killed before: ${seen.old}, after: ${seen.new}`)
})
