/** The node of the primary is killed: Patroni promotes the other one, and the service goes on. */
import { t } from 'tap'
import { parse } from 'yaml'
import { describe } from './load.ts'
import { findRoles, loadInstances, startCluster } from './patroni/cluster.ts'
import { readDeployed, withoutPatroni } from './patroni/programs.ts'

/** Seconds after the kill until both must be answered. */
const most = parse(readDeployed('patroni.yml')).bootstrap.dcs.ttl + 2

t.test('a node is killed', { skip: withoutPatroni }, async t => {
  const cluster = await startCluster(t)
  const loads = await loadInstances(t, cluster)
  const { leader } = await findRoles(cluster.nodes)
  await leader.kill()
  const killed = performance.now()
  for (const [name, { answers, answeredSince }] of Object.entries(loads)) {
    const seconds = ((await answeredSince(killed)) - killed) / 1000
    t.ok(seconds < most, `${name}: 200 after ${seconds.toFixed(1)} s, ${describe(answers)}`)
  }
})
