/** Formats the dashboard as Grafana's JSON. */
import { prefix } from '../../runtime/metrics/definitions.ts'
import { type Panel, rows } from './panels.ts'

/** The columns of Grafana's grid, and the size of a panel in them. */
const columns = 24
const width = 8
const height = 8

const datasource = { type: 'prometheus', uid: '$datasource' }

/** Formats deploy/grafana/dashboard.json. */
export function formatDashboard(): string {
  const dashboard = {
    uid: 'product-templates',
    title: 'product-templates',
    description: 'Written by `npm run docs` from bench/dashboard/panels.ts.',
    tags: ['product-templates'],
    schemaVersion: 39,
    version: 1,
    editable: true,
    graphTooltip: 1,
    time: { from: 'now-1h', to: 'now' },
    refresh: '15s',
    templating: { list: [dataSourceVariable, jobVariable] },
    panels: layOut()
  }
  return `${JSON.stringify(dashboard, null, 2)}\n`
}

const dataSourceVariable = {
  name: 'datasource',
  type: 'datasource',
  query: 'prometheus',
  label: 'Data source'
}
const jobVariable = {
  name: 'job',
  label: 'Job',
  type: 'query',
  datasource,
  query: { query: `label_values(${prefix}build_info, job)`, refId: 'job' },
  refresh: 2,
  includeAll: true,
  multi: true,
  allValue: '.*',
  current: { text: 'All', value: '$__all' }
}

function layOut(): object[] {
  const placed: object[] = []
  let y = 0
  for (const { title, panels } of rows) {
    placed.push({
      id: placed.length + 1,
      type: 'row',
      title,
      gridPos: { x: 0, y, w: columns, h: 1 },
      panels: []
    })
    y++
    panels.forEach((panel, index) => {
      const x = (index * width) % columns
      placed.push(formatPanel(panel, placed.length + 1, { x, y, w: width, h: height }))
      if (x + width === columns || index === panels.length - 1) y += height
    })
  }
  return placed
}

const formatPanel = ({ title, description, unit, queries, stacked }: Panel, id: number, gridPos: object) => ({
  id,
  type: 'timeseries',
  title,
  description,
  datasource,
  gridPos,
  targets: queries.map(({ expression, legend }, index) => ({
    refId: String.fromCharCode(65 + index),
    expr: expression,
    legendFormat: legend,
    exemplar: title === 'Latency'
  })),
  fieldConfig: {
    defaults: {
      unit,
      min: 0,
      custom: {
        fillOpacity: stacked ? 40 : 10,
        showPoints: 'never',
        stacking: { mode: stacked ? 'normal' : 'none' }
      }
    },
    overrides: []
  },
  options: { legend: { displayMode: 'list', placement: 'bottom' }, tooltip: { mode: 'multi', sort: 'desc' } }
})
