// Runs on SQLite only, in test:all only.
/** The files of `deploy/patroni`; `npm run test:cluster` runs those of Patroni and HAProxy. */
import { existsSync, readFileSync } from 'node:fs'
import { t } from 'tap'
import { parse } from 'yaml'
import { isSetting } from './settings.ts'

const folder = new URL('../../deploy/patroni/', import.meta.url)
const read = (name: string): string => readFileSync(new URL(name, folder), 'utf8')
const { services, secrets, volumes } = parse(read('compose.yaml'), { merge: true })
const names = Object.keys(services)
const variablesOf = (prefix: string): string[] =>
  [...new Set(names.flatMap(name => Object.keys(services[name].environment ?? {})))].filter(name =>
    name.startsWith(prefix)
  )

t.test('every setting of the service exists', async t => {
  for (const name of Object.keys(services.templates.environment)) t.ok(isSetting(name), name)
})

t.test('every setting of Patroni and etcd is one of the tests that run them', async t => {
  const run = readFileSync(new URL('../cluster/patroni/programs.ts', import.meta.url), 'utf8')
  t.ok(variablesOf('PATRONI_').length > 0 && variablesOf('ETCD_').length > 0)
  for (const name of variablesOf('PATRONI_')) t.ok(run.includes(`${name}:`), name)
  for (const name of variablesOf('ETCD_')) {
    const flag = name.replace('ETCD_', '').toLowerCase().replaceAll('_', '-')
    t.ok(run.includes(`--${flag}=`), name)
  }
})

t.test('what a service needs is there, and its ports are open on this machine alone', async t => {
  for (const [name, service] of Object.entries<Record<string, string[]>>(services)) {
    for (const volume of service.volumes ?? []) {
      const [source = ''] = volume.split(':')
      const isThere = source.startsWith('./') ? existsSync(new URL(source, folder)) : source in volumes
      t.ok(isThere, `${name}: ${volume}`)
    }
    for (const other of service.depends_on ?? []) t.ok(other in services, `${name}: ${other}`)
    for (const port of service.ports ?? []) t.match(port, /^127\.0\.0\.1:/)
    for (const secret of service.secrets ?? []) t.ok(secret in secrets, secret)
  }
  for (const file of read('Dockerfile').match(/\S+\.(yml|sh)(?= )/g) ?? [])
    t.ok(existsSync(new URL(file, folder)), file)
})

t.test('HAProxy leads to the nodes', async t => {
  const addresses = [...read('haproxy.cfg').matchAll(/server (\w+) "\$\{\w+-(\w+):5432\}"/g)]
  t.same(
    addresses.map(([, name, host]) => [name, host]),
    ['one', 'two', 'one', 'two'].map(name => [name, name])
  )
  for (const [, host = ''] of addresses) t.ok(host in services, host)
})
