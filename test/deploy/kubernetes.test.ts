// Runs on SQLite only, in test:all only.
/** The manifests are valid, have existing settings and no privileges, and are the same through Kustomize. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DeploymentSpec } from 'kubernetes-types/apps/v1.js'
import type { HorizontalPodAutoscalerSpec } from 'kubernetes-types/autoscaling/v2.js'
import type { Container, PodSpec } from 'kubernetes-types/core/v1.js'
import { t } from 'tap'
import { parseAllDocuments } from 'yaml'
import { maxWorkerThreads } from '../../graphql/threads/pool.ts'
import { withoutRunner } from '../support/service/process.ts'
import { isSetting } from './settings.ts'

const checkout = new URL('../../', import.meta.url).pathname
const folder = join(checkout, 'deploy/kubernetes')
const names = ['production', 'autoscaled', 'your-app']

interface Manifest {
  apiVersion: string
  kind: string
  spec: { template: { spec: PodSpec } }
}

const read = (name: string) => readFileSync(join(folder, 'plain', `${name}.yaml`), 'utf8')
const manifests = (name: string): Manifest[] =>
  parseAllDocuments(read(name), { version: '1.1' }).map(document => document.toJS())
const find = <Spec>(name: string, wanted: string): Spec =>
  manifests(name).find(({ kind }) => kind === wanted)?.spec as Spec
const pods = names.flatMap(name =>
  manifests(name).flatMap(({ kind, spec }) =>
    /^(Deployment|StatefulSet)$/.test(kind) ? [spec.template.spec] : []
  )
)
const ours = (pod: PodSpec): Container =>
  [...(pod.initContainers ?? []), ...pod.containers].find(
    ({ name }) => name === 'product-templates'
  ) as Container

t.test('every field of a manifest exists in Kubernetes and has its type', async t => {
  // The compiler refuses unknown fields of literals, which JSON schemas let pass.
  const temporary = mkdtempSync(join(checkout, 'test/deploy/manifests-'))
  t.teardown(() => rmSync(temporary, { recursive: true, force: true }))
  const modules: Record<string, string> = {
    v1: 'core/v1',
    'apps/v1': 'apps/v1',
    'autoscaling/v2': 'autoscaling/v2',
    'policy/v1': 'policy/v1',
    'networking.k8s.io/v1': 'networking/v1'
  }
  const lines = names.flatMap(manifests).map((manifest, index) => {
    const type = `import('kubernetes-types/${modules[manifest.apiVersion]}.js').${manifest.kind}`
    return `export const manifest${index}: ${type} = ${JSON.stringify(manifest, null, 1)}`
  })
  writeFileSync(join(temporary, 'manifests.ts'), lines.join('\n'))
  const options = [
    '--ignoreConfig',
    '--noEmit',
    '--strict',
    '--module',
    'nodenext',
    '--target',
    'es2024',
    '--types',
    ''
  ]
  const run = () =>
    execFileSync(
      'env',
      [...withoutRunner, 'node_modules/.bin/tsc', ...options, join(temporary, 'manifests.ts')],
      {
        cwd: checkout
      }
    )
  try {
    run()
  } catch (error) {
    t.fail((error as { stdout: Buffer }).stdout.toString())
  }
})

t.test('every setting in a manifest exists', async t => {
  for (const pod of pods) for (const { name } of ours(pod).env ?? []) t.ok(isSetting(name), name)
})

t.test('the pods meet the profile `restricted` and write only to volumes', async t => {
  for (const pod of pods)
    for (const container of [...(pod.initContainers ?? []), ...pod.containers]) {
      const context = { ...pod.securityContext, ...container.securityContext }
      t.match(context, {
        runAsNonRoot: true,
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
        seccompProfile: { type: 'RuntimeDefault' }
      })
      t.ok(container.resources?.limits?.memory && container.resources.requests?.cpu, container.name)
    }
})

t.test('the probes ask the port that a kubelet reaches, with time for a migration', async t => {
  for (const { env = [], ports, ...container } of pods.map(ours)) {
    const value = (name: string) => env.find(variable => variable.name === name)?.value
    const probes = { startupProbe: '/startupz', livenessProbe: '/livez', readinessProbe: '/readyz' } as const
    for (const [probe, path] of Object.entries(probes)) {
      const asked = container[probe as keyof typeof probes]?.httpGet
      t.equal(asked?.path, path)
      t.equal(ports?.find(({ name }) => name === asked?.port)?.containerPort, Number(value('HEALTH_PORT')))
    }
  }
})

t.test('a pod has more time to end than the service takes', async t => {
  const [pod] = pods
  const seconds = (name: string) =>
    Number(ours(pod as PodSpec).env?.find(variable => variable.name === name)?.value)
  t.ok((pod?.terminationGracePeriodSeconds ?? 0) > seconds('SHUTDOWN_DELAY') + seconds('SHUTDOWN_TIMEOUT'))
})

t.test('a node or a zone that fails takes few pods of a deployment with it', async t => {
  for (const name of ['production', 'autoscaled']) {
    const { selector, template } = find<DeploymentSpec>(name, 'Deployment')
    const spread = template.spec?.topologySpreadConstraints ?? []
    t.same(
      spread.map(({ topologyKey }) => topologyKey),
      ['topology.kubernetes.io/zone', 'kubernetes.io/hostname']
    )
    for (const { whenUnsatisfiable, labelSelector } of spread) {
      t.equal(whenUnsatisfiable, 'ScheduleAnyway')
      t.same(labelSelector, selector)
    }
    t.match(find(name, 'PodDisruptionBudget'), { maxUnavailable: 1, selector })
  }
})

t.test('the autoscaler alone sets the number of pods, and PostgreSQL has connections for all', async t => {
  const deployment = find<DeploymentSpec>('autoscaled', 'Deployment')
  const { minReplicas, maxReplicas } = find<HorizontalPodAutoscalerSpec>(
    'autoscaled',
    'HorizontalPodAutoscaler'
  )
  t.notOk('replicas' in deployment)
  t.equal(minReplicas, find<DeploymentSpec>('production', 'Deployment').replicas)
  const { env = [] } = ours(deployment.template.spec as PodSpec)
  const poolSize = env.find(({ name }) => name === 'DATABASE_POOL_SIZE')?.value
  const most = maxReplicas + Number(deployment.strategy?.rollingUpdate?.maxSurge)
  // PostgreSQL keeps three of its hundred for administrators.
  t.ok(most * (Number(poolSize) + maxWorkerThreads) <= 97, `${most} pods`)
})
