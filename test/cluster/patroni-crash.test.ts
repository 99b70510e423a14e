/** The node of the primary is killed: Patroni promotes the other one, and the service adds little to that time. */
import { t } from 'tap'
import { describe } from './load.ts'
import { findRoles, loadInstances, startCluster, watchServers } from './patroni/cluster.ts'
import { withoutPatroni } from './patroni/programs.ts'

/** Milliseconds that the service may add. */
const most = 1000

t.test('a node is killed', { skip: withoutPatroni }, async t => {
  const cluster = await startCluster(t)
  const loads = await loadInstances(t, cluster)
  const servers = watchServers(t, cluster.nodes)
  await servers.answeredSince(0)
  const { leader } = await findRoles(cluster.nodes)
  await leader.kill()
  const killed = performance.now()
  const promoted = (await servers.answeredSince(killed)) - killed
  t.comment(`no primary for ${Math.round(promoted)} ms`)
  for (const [name, { answers, answeredSince }] of Object.entries(loads)) {
    const answered = (await answeredSince(killed)) - killed
    t.ok(answered < promoted + most, `${name}: 200 after ${Math.round(answered)} ms, ${describe(answers)}`)
  }
})
