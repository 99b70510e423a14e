// Runs on PostgreSQL only, alone.
/**
 * Patroni replaces the primary, in good order and after its node was killed: the service adds little to that time, by
 * what the machine does then.
 */
import { t } from 'tap'
import { needs } from '../support/programs.ts'
import { allow, describe, longestGap } from './load.ts'
import { findRoles, loadInstances, startCluster, switchOver, watchServers } from './patroni/cluster.ts'

/** Milliseconds that the service may add. */
const most = 1000

// One cluster for both, because starting it takes longer than a change of roles.
t.test('a cluster under Patroni', needs('etcd', 'haproxy', 'patroni', 'postgresql'), async t => {
  const cluster = await startCluster(t)
  const loads = await loadInstances(t, cluster)
  const servers = watchServers(t, cluster.nodes)
  await servers.answeredSince(0)

  // Patroni 3.0 looks once a second whether its server has ended, and only then lets go of the leader's key: there is
  // no primary for over a second.
  await t.test('the roles change', async t => {
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
      const longest = without + allow(most, servers, begun)
      t.ok(gap < longest, `${name}: no answer 200 for ${gap} ms, of ${longest}`)
    }
    t.equal((await findRoles(cluster.nodes)).leader, roles.standby)
  })

  await t.test('a node is killed', async t => {
    const { leader } = await findRoles(cluster.nodes)
    await leader.kill()
    const killed = performance.now()
    const promoted = (await servers.answeredSince(killed)) - killed
    t.comment(`no primary for ${Math.round(promoted)} ms`)
    for (const [name, { answers, answeredSince }] of Object.entries(loads)) {
      const answered = (await answeredSince(killed)) - killed
      const since = answers.filter(({ start }) => start >= killed)
      const latest = Math.round(promoted) + allow(most, servers, killed)
      t.ok(
        answered < latest,
        `${name}: 200 after ${Math.round(answered)} ms, of ${latest}; ${describe(since)}`
      )
    }
  })
})
