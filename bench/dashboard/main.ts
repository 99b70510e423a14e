/**
 * Writes deploy/grafana/dashboard.svg: the panels of the dashboard with values of a real run. Prometheus scrapes the
 * service every second and evaluates the dashboard's queries. Grafana is not needed.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { runCommand, startService } from '../servers.ts'
import { type Drawn, drawRun } from './draw.ts'
import { phases, runLoad } from './load.ts'
import { type Panel, rateInterval, rows } from './panels.ts'
import { type Prometheus, startPrometheus } from './prometheus.ts'

const templates = 1000
const ports = { health: 18_081, prometheus: 19_090 }
/** The interval of rates, with one scrape per second. */
const interval = '5s'

const directory = mkdtempSync(join(tmpdir(), 'product-templates-dashboard-'))
const database = `sqlite:${join(directory, 'templates.db')}`
await runCommand(database, ['seed', '--load', String(templates)])
const added = await runCommand(database, ['client', 'add', 'shop', '--grant', 'password', '--json'])
const client = { id: 'shop', secret: String(JSON.parse(added).secret) }
const service = await startService(database, [], {
  env: { HEALTH_PORT: String(ports.health) }
})
const prometheus = await startPrometheus(directory, `127.0.0.1:${ports.health}`, ports.prometheus)
try {
  const from = Math.ceil(Date.now() / 1000)
  await runLoad(service.url, client)
  const to = Math.floor(Date.now() / 1000)
  const evaluated = []
  for (const { title, panels } of rows)
    evaluated.push({
      title,
      panels: (await Promise.all(panels.map(panel => evaluate(prometheus, panel, from, to)))).flat()
    })
  const shown = evaluated.flatMap(({ panels }) => panels).length
  const all = rows.flatMap(({ panels }) => panels).length
  const caption = `One process, ${templates.toLocaleString('en')} templates on SQLite, ${cpus()[0]?.model.trim()} (${availableParallelism()} cores, shared with the load and Prometheus), Node.js ${process.versions.node}, ${new Date().toISOString().slice(0, 10)}. Drawn by bench/dashboard from the queries of dashboard.json, evaluated by Prometheus, not by Grafana; ${all - shown} panels without values are left out. Shaded: ${phases[1]?.name} (from second ${phases[0]?.until}); then ${phases[2]?.name} (from second ${phases[1]?.until}), reading again at the end (shaded).`
  writeFileSync(
    new URL('../../deploy/grafana/dashboard.svg', import.meta.url),
    drawRun({ from, to, phases, caption, rows: evaluated })
  )
  console.log(`${shown} of ${all} panels have values: deploy/grafana/dashboard.svg`)
} finally {
  await prometheus.stop()
  await service.stop()
  rmSync(directory, { recursive: true })
}

/** Returns the panel with its lines; nothing if all values are missing. */
async function evaluate(prometheus: Prometheus, panel: Panel, from: number, to: number): Promise<Drawn[]> {
  const lines = await Promise.all(
    panel.queries.map(async ({ expression, legend }) => {
      const query = expression.replaceAll(rateInterval, interval).replaceAll('$job', '.*')
      const series = await prometheus.query(query, from, to)
      return series.map(({ labels, values }) => ({
        legend: legend.replace(/\{\{(\w+)\}\}/g, (_found, name) => labels[name] ?? ''),
        values
      }))
    })
  )
  const withValues = lines.flat().filter(({ values }) => values.some(([, value]) => value > 0))
  return withValues.length > 0 ? [{ ...panel, lines: withValues }] : []
}
