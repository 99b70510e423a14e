// Runs on PostgreSQL only, alone.
/** What was acknowledged survives a fail-over if a standby had to have it, and only then: docs/scaling.md. */
import { type Test, t } from 'tap'
import { onServer } from '../support/database/database.ts'
import { proxy } from '../support/http/proxy.ts'
import { hostList, makeSynchronous } from '../support/postgres/pair.ts'
import { startPostgres, startStandby } from '../support/postgres/postgres.ts'
import { serve } from '../support/service/process.ts'
import { until } from '../support/until.ts'
import { type Acknowledged, addWorker, createAndRevoke, findLost, issueTokens } from './acknowledged.ts'

/** A service with both servers in its URL, and a network between them. */
async function start(t: Test) {
  const primary = await startPostgres()
  t.teardown(() => primary.stop())
  const between = await proxy(t, primary.port)
  const standby = await startStandby(primary, between.port)
  t.teardown(() => standby.stop())
  await addWorker(primary.url)
  const DATABASE_URL = hostList(primary, [primary.port, standby.port])
  const { url } = await serve(t, [], { DATABASE_URL, ADDRESS_LIMIT: '0', CLIENT_LIMIT: '0' })
  const failOver = async () => {
    await primary.kill()
    await onServer(standby.url, 'select pg_promote()')
  }
  return { primary, between, url, failOver }
}

t.test('a synchronous standby has all that was acknowledged', async t => {
  const { primary, url, failOver } = await start(t)
  await makeSynchronous(primary)
  const acknowledged: Acknowledged = { created: [], revoked: [] }
  const tokens = await issueTokens(url, 300)
  const working = createAndRevoke(url, tokens, acknowledged)
  const { created, revoked } = acknowledged
  await until(() => created.length + revoked.length > 250)
  const before = `${created.length} templates and ${revoked.length} revocations`
  await failOver()
  await working
  t.comment(`acknowledged before the kill: ${before}; at the end: ${created.length} and ${revoked.length}`)
  t.same(await findLost(url, acknowledged), { created: [], revoked: [] })
})

t.test('an asynchronous standby that receives nothing more lacks some of it', async t => {
  const { between, url, failOver } = await start(t)
  const acknowledged: Acknowledged = { created: [], revoked: [] }
  const working = createAndRevoke(url, await issueTokens(url, 300), acknowledged)
  const { created, revoked } = acknowledged
  await until(() => created.length > 50 && revoked.length > 50)
  between.swallow()
  await working
  await failOver()
  const lost = await findLost(url, acknowledged)
  t.comment(`lost: ${lost.created.length} of ${created.length} templates`)
  t.comment(`lost: ${lost.revoked.length} of ${revoked.length} revocations`)
  t.ok(lost.created.length > 0 && lost.revoked.length > 0)
})
