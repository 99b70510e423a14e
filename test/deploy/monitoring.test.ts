// Runs on SQLite only.
/** The dashboard and the alerts against the table of metrics. */
import { readFileSync } from 'node:fs'
import { t } from 'tap'
import { parse } from 'yaml'
import { rows } from '../../bench/dashboard/panels.ts'
import { metricDefinitions as metrics } from '../../features/load.ts'
import { prefix } from '../../runtime/metrics/definitions.ts'

const folder = new URL('../../deploy/', import.meta.url)
const read = (name: string) => readFileSync(new URL(name, folder), 'utf8')

interface Rule {
  alert: string
  expr: string
  labels: { severity: string }
  annotations: { summary: string; description: string }
}
const alerts: Rule[] = parse(read('prometheus/alerts.yml')).groups.flatMap(
  ({ rules }: { rules: Rule[] }) => rules
)
const dashboard = JSON.parse(read('grafana/dashboard.json'))
const queries: string[] = dashboard.panels.flatMap(({ targets = [] }: { targets?: { expr: string }[] }) =>
  targets.map(({ expr }) => expr)
)

t.test('dashboard and alerts name only metrics of the table', async t => {
  const names = Object.keys(metrics).map(name => prefix + name)
  const known = new Set(names.flatMap(name => [name, `${name}_bucket`, `${name}_sum`, `${name}_count`]))
  const variables = JSON.stringify(dashboard.templating)
  const used = [variables, ...queries, ...alerts.map(({ expr }) => expr)]
    .join('\n')
    .matchAll(/product_templates_\w+/g)
  const found = new Set([...used].map(([name]) => name))
  t.ok(found.size > 30)
  t.same(
    [...found].filter(name => !known.has(name)),
    [],
    'if their feature is deleted, delete them in bench/dashboard/panels.ts, deploy/prometheus/alerts.yml and alerts.test.yml'
  )
  for (const text of [
    read('prometheus/alerts.test.yml'),
    ...alerts.map(({ annotations }) => annotations.description)
  ])
    for (const [name] of text.matchAll(/product_templates_\w+/g)) t.ok(known.has(name), name)
})

t.test('the adapter of the autoscaler asks for a counter of the table', async t => {
  const [{ seriesQuery, resources, metricsQuery }] = parse(read('prometheus/adapter.yml')).rules.custom
  const [, name = ''] = /^product_templates_(\w+)\{/.exec(seriesQuery) ?? []
  t.equal(metrics[name]?.type, 'counter')
  for (const label of Object.keys(resources.overrides)) t.match(seriesQuery, `${label}!=""`)
  t.match(metricsQuery, 'rate(<<.Series>>')
})

t.test('they use only labels that the metrics have', async t => {
  for (const expression of [...queries, ...alerts.map(({ expr }) => expr)]) {
    for (const [, name = '', text = ''] of expression.matchAll(/product_templates_(\w+)\{([^}]*)\}/g)) {
      const { labels = [] } = metrics[name.replace(/_(bucket|sum|count)$/, '')] ?? {}
      for (const [, label = ''] of text.matchAll(/(\w+)[=!]~?"/g))
        t.ok(['job', ...labels].includes(label), expression)
    }
    // What lines are grouped by is a label of a metric in the expression.
    const [, name = ''] = /product_templates_(\w+)/.exec(expression) ?? []
    const { labels = [] } = metrics[name.replace(/_(bucket|sum|count)$/, '')] ?? {}
    for (const [, by = ''] of expression.matchAll(/\bby \(([^)]+)\)/g))
      for (const label of by.split(', '))
        t.ok(['job', 'instance', 'le', ...labels].includes(label), expression)
  }
})

t.test(
  'each alert says what to do, and has a case in which it fires and one in which it is quiet',
  async t => {
    const { tests } = parse(read('prometheus/alerts.test.yml'))
    const cases: string[] = tests.map(({ name }: { name: string }) => name)
    for (const { alert, labels, annotations } of alerts) {
      t.match(labels.severity, /^(critical|warning|info)$/)
      t.ok(annotations.summary && annotations.description)
      for (const what of ['fires', 'is quiet']) t.ok(cases.includes(`${alert} ${what}`), `${alert} ${what}`)
    }
    t.equal(cases.length, 2 * alerts.length)
  }
)

t.test('every metric that an operator may ask for is on the dashboard or in an alert', async t => {
  const text = [...queries, ...alerts.map(({ expr }) => expr)].join('\n')
  const unseen = Object.keys(metrics).filter(
    name => !new RegExp(`${prefix}${name}(_bucket|_sum|_count)?\\b`).test(text)
  )
  t.same(unseen, ['responses_cached', 'store_connections_max', 'process_external_memory_bytes', 'build_info'])
  t.equal(
    rows.flatMap(({ panels }) => panels).length,
    dashboard.panels.filter((panel: { type: string }) => panel.type !== 'row').length
  )
})
