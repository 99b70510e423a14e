// Runs in test:all only.
/** However often processes are killed, acknowledged writes are there, and no half ones. Use `KILLS=100`. */
import { setTimeout } from 'node:timers/promises'
import { type Test, t } from 'tap'
import { hashSecret } from '../../accounts/credentials/secrets.ts'
import type { Db } from '../../db/schema.ts'
import { openDatabase } from '../../features/database.ts'
import { databaseUrl, engine, findCorruption } from '../support/database/database.ts'
import { random } from '../support/generated/seed.ts'
import { basic, tokenRequest } from '../support/http/http.ts'
import { startPostgres } from '../support/postgres/postgres.ts'
import { serve } from '../support/service/process.ts'
import { addClient, addUser, client } from '../support/service/service.ts'
import { until } from '../support/until.ts'

const kills = Number(process.env.KILLS ?? 6)
const headers = { authorization: basic('app', client.secret) }
const env = { PASSWORD_MEMORY: '7168', ADDRESS_LIMIT: '0', CLIENT_LIMIT: '0' }

interface Acknowledged {
  /** The last refresh token of each login that an answer brought; undefined: the answer to its use is missing. */
  tokens: Map<string, string | undefined>
  revoked: string[]
}

/** One caller that logs in, refreshes a few times and revokes, until nobody answers. */
async function caller(url: string, acknowledged: Acknowledged): Promise<void> {
  while (true) {
    const first = await answer(tokenRequest(url, {}, headers))
    if (!first) return
    const login = first.refresh_token
    acknowledged.tokens.set(login, login)
    let token = login
    for (let turn = 0; turn < 3; turn++) {
      acknowledged.tokens.set(login, undefined)
      const form = {
        grant_type: 'refresh_token',
        username: undefined,
        password: undefined,
        refresh_token: token
      }
      const next = await answer(tokenRequest(url, form, headers))
      if (!next) return
      token = next.refresh_token
      acknowledged.tokens.set(login, token)
      const body = new URLSearchParams({ token: next.access_token, token_type_hint: 'access_token' })
      const revoked = await fetch(`${url}/oauth/revoke`, { method: 'POST', headers, body }).catch(
        () => undefined
      )
      if (revoked?.status !== 200) return
      acknowledged.revoked.push(next.jti)
    }
  }
}

interface Issued {
  access_token: string
  refresh_token: string
  jti: string
}

/** The body of a 200 that came whole. */
async function answer(request: Promise<Response>): Promise<Issued | undefined> {
  try {
    const response = await request
    return response.status === 200 ? ((await response.json()) as Issued) : undefined
  } catch {
    return undefined
  }
}

async function check(t: Test, db: Db, { tokens, revoked }: Acknowledged): Promise<void> {
  const rows = await db.selectFrom('product_refresh_token').selectAll().orderBy('generation').execute()
  const families = await db.selectFrom('product_token_family').select('id').execute()
  const byFamily = Map.groupBy(rows, row => row.family_id)
  t.equal(byFamily.size, families.length, 'no family without a token')
  const broken = [...byFamily.values()].filter(family =>
    // Each generation once, all used but the last.
    family.some(({ generation, time_used }, index) => {
      return generation !== index || (time_used === null) !== (index === family.length - 1)
    })
  )
  t.same(broken, [], 'nothing by halves')
  const usable = new Set(rows.filter(({ time_used }) => time_used === null).map(({ hash }) => hash))
  const lost = [...tokens.values()].filter(token => token !== undefined && !usable.has(hashSecret(token)))
  t.same(lost, [], `each of ${tokens.size} acknowledged logins can go on`)
  const known = new Set(
    (await db.selectFrom('product_revoked_token').select('jti').execute()).map(({ jti }) => jti)
  )
  t.same(
    revoked.filter(jti => !known.has(jti)),
    [],
    `each of ${revoked.length} revocations holds`
  )
}

t.test(`${kills} kills at random moments`, async t => {
  // Its own server with its default settings: that of the suite does without some care for the disk.
  const server = engine === 'postgres' ? await startPostgres() : undefined
  if (server) t.teardown(() => server.stop())
  const url = server?.url ?? (await databaseUrl(t))
  const db = await openDatabase(url)
  await addUser(db)
  await addClient(db, { id: 'app', grantTypes: ['password', 'refresh_token'] })
  await db.destroy()

  const acknowledged: Acknowledged = { tokens: new Map(), revoked: [] }
  for (let kill = 0; kill < kills; kill++) {
    const service = await serve(t, [], { DATABASE_URL: url, ...env })
    const callers = Array.from({ length: 4 }, () => caller(service.url, acknowledged))
    const enough = acknowledged.revoked.length + Math.floor(random() * 12)
    await until(() => acknowledged.revoked.length >= enough)
    await setTimeout(random() * 20)
    if (server && kill % 2 === 0) await server.kill()
    service.child.kill('SIGKILL')
    await Promise.all([...callers, service.ended])
    if (server && kill % 2 === 0) await server.start()
    const found = await openDatabase(url)
    await check(t, found, acknowledged)
    await found.destroy()
  }
  t.same(await findCorruption(url), [])
})
