import type { Test } from 'tap'
import { onServer } from '../../support/database/database.ts'
import { freePort } from '../../support/postgres/postgres.ts'
import { serve } from '../../support/service/process.ts'
import { until } from '../../support/until.ts'
import { startHaproxy } from '../haproxy.ts'
import { type Load, load, readAndWrite } from '../load.ts'
import { type Node, password, readDeployed, startEtcd, startNode } from './programs.ts'

/** Two nodes of Patroni, and HAProxy before them. */
interface Cluster {
  nodes: Node[]
  /** Of HAProxy; leads to the primary. */
  port: number
}

export async function startCluster(t: Test): Promise<Cluster> {
  const etcd = await startEtcd(t)
  const one = await startNode(t, 'one', etcd)
  const two = await startNode(t, 'two', etcd)
  await findRoles([one, two])
  const port = await freePort()
  await startHaproxy(t, readDeployed('haproxy.cfg'), port, {
    PRIMARY: `127.0.0.1:${port}`,
    STANDBY: `127.0.0.1:${await freePort()}`,
    ONE: `127.0.0.1:${one.port}`,
    ONE_CHECK: String(one.apiPort),
    TWO: `127.0.0.1:${two.port}`,
    TWO_CHECK: String(two.apiPort)
  })
  return { nodes: [one, two], port }
}

/** An instance behind HAProxy, and one that has the nodes in its URL; clients read from and write to both. */
export async function loadInstances(t: Test, { nodes, port }: Cluster): Promise<Record<string, Load>> {
  const env = { ADDRESS_LIMIT: '0', ISSUER: 'https://issuer.example' }
  const urlOf = (ports: number[]) =>
    `postgres://templates:${password}@${ports.map(each => `127.0.0.1:${each}`).join()}/templates`
  const behind = await serve(t, ['--demo'], { ...env, DATABASE_URL: urlOf([port]) })
  const direct = await serve(t, [], { ...env, DATABASE_URL: urlOf(nodes.map(({ port }) => port)) })
  const [one, two] = [await readAndWrite(t, behind.url), await readAndWrite(t, direct.url)]
  const loads = {
    'reads behind HAProxy': one.reads,
    'writes behind HAProxy': one.writes,
    'reads with a list': two.reads,
    'writes with a list': two.writes
  }
  await until(() => Object.values(loads).every(({ answers }) => answers.length > 50))
  return loads
}

/** Asks the servers themselves: 200 if one is the primary. */
export function watchServers(t: Test, nodes: Node[]): Load {
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

interface Roles {
  leader: Node
  standby: Node
}

/** Resolves when one node is the primary and the other its synchronous standby. */
export async function findRoles(nodes: Node[]): Promise<Roles> {
  let found: Partial<Roles> = {}
  await until(async () => {
    const members = await Promise.any(nodes.map(listMembers)).catch(() => [])
    const find = (role: string) =>
      nodes.find(({ name }) => members.some(member => member.name === name && member.role === role))
    const [leader, standby] = [find('leader'), find('sync_standby')]
    found = { ...(leader && { leader }), ...(standby && { standby }) }
    return leader !== undefined && standby !== undefined
  })
  return found as Roles
}

interface Member {
  name: string
  role: string
}

async function listMembers({ apiPort }: Node): Promise<Member[]> {
  const response = await fetch(`http://127.0.0.1:${apiPort}/cluster`)
  return ((await response.json()) as { members: Member[] }).members
}

/** Makes the standby the primary, in good order. */
export async function switchOver({ leader, standby }: Roles): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${leader.apiPort}/switchover`, {
    method: 'POST',
    body: JSON.stringify({ leader: leader.name, candidate: standby.name })
  })
  if (!response.ok) throw new Error(await response.text())
}
