/**
 * Patroni makes the standby the primary, in good order: the service adds little to the time in which there is no primary.
 * That time is over a second: Patroni 3.0 looks once a second whether its server has ended, and only then lets go of the
 * leader's key.
 */
import { t } from 'tap'
import { longestGap } from './load.ts'
import { findRoles, loadInstances, startCluster, switchOver, watchServers } from './patroni/cluster.ts'
import { withoutPatroni } from './patroni/programs.ts'

/** Milliseconds that the service may add. */
const most = 1000

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
