// Runs on SQLite only, in test:all only.
/** The programs that read the files of `deploy` accept them, and the metrics. */
import { execFile, execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Test, t } from 'tap'
import { parse, parseAllDocuments } from 'yaml'
import { rateInterval } from '../../bench/dashboard/panels.ts'
import { demo } from '../../seeds/credentials.ts'
import { databaseUrl, directory } from '../support/database/database.ts'
import { accessToken, basic, query } from '../support/http/http.ts'
import { needs } from '../support/programs.ts'
import { serve } from '../support/service/process.ts'

const deploy = new URL('../../deploy/', import.meta.url).pathname
const read = (name: string): string => readFileSync(join(deploy, name), 'utf8')
const promtool = (...words: string[]) => promisify(execFile)('promtool', words)

t.test('the plain manifests are what Kustomize makes of the overlays', needs('kubectl'), async t => {
  for (const file of readdirSync(join(deploy, 'kubernetes/plain'))) {
    const overlay = `deploy/kubernetes/overlays/${file.replace('.yaml', '')}`
    const built = execFileSync('kubectl', ['kustomize', overlay], { cwd: join(deploy, '..') }).toString()
    // Kustomize leaves comments out.
    const source = read(
      `kubernetes/${file === 'your-app.yaml' ? 'sidecar/sidecar' : 'deployment/deployment'}.yaml`
    )
    const secret = /# kubectl create secret .*\\\n *# .*\n/.exec(source)?.[0].replace(/\n +/, '\n')
    const head = `# Generated: kubectl kustomize ${overlay}\n# The Secret is not in this file:\n${secret}`
    const generated = `${head}${built}`
    t.equal(read(`kubernetes/plain/${file}`), generated, `update it with: kubectl kustomize ${overlay}`)
  }
})

t.test('the autoscaler can also follow the event loop', needs('kubectl'), async t => {
  const temporary = mkdtempSync(join(deploy, 'kubernetes/overlays/test-'))
  t.teardown(() => rmSync(temporary, { recursive: true, force: true }))
  const kustomization = { resources: ['../autoscaled'], components: ['../../event-loop'] }
  writeFileSync(join(temporary, 'kustomization.yaml'), JSON.stringify(kustomization))
  const built = parseAllDocuments(execFileSync('kubectl', ['kustomize', temporary]).toString())
  const autoscaler = built
    .map(document => document.toJS())
    .find(({ kind }) => kind === 'HorizontalPodAutoscaler')
  const { rules } = parse(read('prometheus/adapter.yml'))
  t.match(autoscaler.spec.metrics, [
    { resource: { name: 'cpu' } },
    { pods: { metric: { name: rules.custom[0].name.as } } }
  ])
})

/** Runs systemd-analyze; returns what it printed, and its exit code if that is not 0. */
function analyze(words: string[]): string {
  try {
    return execFileSync('sh', ['-c', 'systemd-analyze "$@" 2>&1', 'sh', ...words]).toString()
  } catch (error) {
    const { status, stdout } = error as { status: number; stdout: Buffer }
    return `exit code ${status}: ${stdout}`
  }
}

/** The unit with a program that this machine has; with `more`, with the settings for a socket. */
function installUnit(t: Test, more: boolean): string {
  const directory = mkdtempSync(join(tmpdir(), 'product-templates-unit-'))
  t.teardown(() => rmSync(directory, { recursive: true }))
  cpSync(join(deploy, 'systemd'), directory, { recursive: true })
  if (!more) rmSync(join(directory, 'product-templates.service.d'), { recursive: true })
  const path = join(directory, 'product-templates.service')
  const unit = read('systemd/product-templates.service')
  writeFileSync(path, unit.replace('ExecStart=/usr/bin/node', `ExecStart=${process.execPath}`))
  return path
}

t.test(
  'systemd finds no fault in the unit, with and without the socket',
  needs('systemd-analyze'),
  async t => {
    for (const more of [false, true]) {
      t.equal(analyze(['verify', '--man=no', installUnit(t, more)]), '')
    }
  }
)

t.test(
  'systemd calls the exposure of the unit low, and lower with a socket',
  needs('systemd-analyze'),
  async t => {
    const measure = (more: boolean) =>
      Number(analyze(['security', '--offline=yes', installUnit(t, more)]).match(/service: ([\d.]+)/)?.[1])
    t.ok(measure(false) <= 1)
    t.ok(measure(true) <= 0.3)
  }
)

t.test('HAProxy accepts its file', needs('haproxy'), async t => {
  // Names of containers are not known here.
  const env = { PATH: process.env.PATH, ONE: '127.0.0.1:1', TWO: '127.0.0.1:2' }
  const { status, stderr } = spawnSync('haproxy', ['-c', '-f', join(deploy, 'patroni/haproxy.cfg')], {
    env,
    encoding: 'utf8'
  })
  t.equal(status, 0, stderr)
})

t.test('Prometheus takes the rules and the queries', needs('promtool'), async t => {
  const { stdout } = await promtool('check', 'rules', join(deploy, 'prometheus/alerts.yml'))
  const [{ rules }] = parse(read('prometheus/alerts.yml')).groups
  t.match(stdout, `SUCCESS: ${rules.length} rules found`)
  t.match((await promtool('test', 'rules', join(deploy, 'prometheus/alerts.test.yml'))).stdout, 'SUCCESS')
  const queries: string[] = JSON.parse(read('grafana/dashboard.json')).panels.flatMap(
    ({ targets = [] }: { targets?: { expr: string }[] }) => targets.map(({ expr }) => expr)
  )
  const recorded = queries.map((expr, index) => ({
    record: `panel:${index}`,
    expr: expr.replaceAll(rateInterval, '1m').replaceAll('$job', '.*')
  }))
  const asRules = join(await directory(t), 'queries.json')
  writeFileSync(asRules, JSON.stringify({ groups: [{ name: 'panels', rules: recorded }] }))
  t.match((await promtool('check', 'rules', asRules)).stdout, `SUCCESS: ${queries.length} rules found`)
})

t.test('Prometheus finds no fault in the metrics', needs('promtool'), async t => {
  const { url } = await serve(t, ['--demo'], { DATABASE_URL: await databaseUrl(t) })
  const authorization = basic(demo.clientId, demo.clientSecret)
  const token = await accessToken(url, { username: demo.email, password: demo.password }, { authorization })
  await query(url, token, '{ allProducts { id } }')
  const input = await (await fetch(`${url}/metrics`)).text()
  t.equal(execFileSync('promtool', ['check', 'metrics'], { input, encoding: 'utf8' }), '')
})
