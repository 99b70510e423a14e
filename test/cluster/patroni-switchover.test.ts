/**
 * Patroni makes the standby the primary, in good order: the service adds little to the time in which there is no primary.
 * That time is over a second: Patroni 3.0 looks once a second whether its server has ended, and only then lets go of the
 * leader's key.
 */
import { type Test, t } from 'tap'
import { onServer } from '../database.ts'
import { type Load, load, longestGap } from './load.ts'
import { findRoles, loadInstances, startCluster, switchOver } from './patroni/cluster.ts'
import { type Node, password, withoutPatroni } from './patroni/programs.ts'

/** Milliseconds that the service may add. */
const most = 1000

/** Asks the servers themselves: 200 if one is the primary. */
function watchServers(t: Test, nodes: Node[]): Load {
  const isPrimary = async ({ port }: Node) => {
    const url = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`
    const { rows } = await onServer(url, 'select 1 from pg_is_in_recovery() as standby where not standby')
    if (rows.length === 0) throw new Error('a standby')
  }
  return load(t, 1, async () => {
    const status = await Promise.any(nodes.map(isPrimary)).then(
      () => 200,
      () => 503
    )
    return new Response(null, { status })
  })
}

t.test('the roles change', { skip: withoutPatroni }, async t => {
  const cluster = await startCluster(t)
  const loads = await loadInstances(t, cluster)
  const servers = watchServers(t, cluster.nodes)
  await servers.answeredSince(0)
  const roles = await findRoles(cluster.nodes)
  const begun = performance.now()
  await switchOver(roles)
  const after = performance.now()
  await servers.answeredSince(after)
  const without = Math.round(longestGap(servers.answers, begun))
  t.comment(`no primary for ${without} ms`)
  for (const [name, { answers, answeredSince }] of Object.entries(loads)) {
    await answeredSince(after)
    const gap = Math.round(longestGap(answers, begun))
    t.ok(gap < without + most, `${name}: no answer 200 for ${gap} ms`)
  }
  t.equal((await findRoles(cluster.nodes)).leader, roles.standby)
})
