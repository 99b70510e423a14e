import { drawFrame, escapeXml, margin } from '../frame.ts'
import { lookTime } from './costs.ts'
import { type Fleet, findLimit, loadParts } from './model.ts'

const most = { requestsPerSecond: 20_000, cores: 4 }
const steps = 80
const counts = [1, 4, 16]
const hitRate = 0.9

/** Sizes in pixels. */
const panel = { width: 390, left: 34, plot: 250, right: 84, top: 46 }
const top = 64

const style = `
  .head { font-size: 13px; font-weight: 600 }
  .axis { stroke: #59636e; stroke-opacity: .35 }
  .line { fill: none; stroke-width: 2 }
  .c1 { stroke: #9a6700 } .c4 { stroke: #0969da } .c16 { stroke: #1a7f64 }
  .end { fill: #1f2328 }
  @media (prefers-color-scheme: dark) {
    .axis { stroke: #9198a1 }
    .c1 { stroke: #d29922 } .c4 { stroke: #4493f8 } .c16 { stroke: #2fb890 }
    .end { fill: #f0f6fc }
  }`

/** Draws bench/fleets.svg: the busy cores of the primary by requests per second. */
export function formatFleets(): string {
  const width = 2 * panel.width + margin
  const height = top + panel.top + panel.plot + 52
  const panels = [0, 2].map((replicas, index) => {
    const x = margin / 2 + index * (panel.width + margin / 2)
    return `<g transform="translate(${x} ${top})">\n${drawPanel(replicas)}\n</g>`
  })
  return drawFrame({
    title: 'Busy cores of the primary by requests per second',
    description: [0, 2].map(describe).join(' '),
    heading: 'Busy cores of the primary',
    caption: `Computed by npm run simulate: ${100 * hitRate} % cached responses, ${Math.round(100 - 100 * hitRate)} % pages. A dot: the instances can do no more.`,
    width,
    height,
    style,
    parts: panels
  })
}

function drawPanel(replicas: number): string {
  const bottom = panel.top + panel.plot
  const ticks = [1, 2, 3, 4].map(
    cores =>
      `<line class="axis" x1="${panel.left}" x2="${panel.width - panel.right}" y1="${toY(cores)}" y2="${toY(cores)}" stroke-dasharray="2 3"/><text class="soft" x="${panel.left - 8}" y="${toY(cores) + 4}" text-anchor="end">${cores}</text>`
  )
  const labels = [0, 5000, 10_000, 15_000, 20_000].map(
    perSecond =>
      `<text class="soft" x="${toX(perSecond)}" y="${bottom + 18}" text-anchor="middle">${perSecond.toLocaleString('en')}</text>`
  )
  return [
    `<text class="head" x="${panel.left}" y="24">${replicas === 0 ? 'Without replicas' : 'Replicas serve the pages'}</text>`,
    `<line class="axis" x1="${panel.left}" x2="${panel.width - panel.right}" y1="${bottom}" y2="${bottom}"/>`,
    ...ticks,
    ...labels,
    `<text class="soft" x="${(panel.left + panel.width - panel.right) / 2}" y="${bottom + 38}" text-anchor="middle">requests per second</text>`,
    ...counts.map(instances => drawLine(instances, replicas))
  ].join('\n')
}

function drawLine(instances: number, replicas: number): string {
  const points = sample(instances, replicas)
  const path = points.map(
    ([perSecond, cores], index) => `${index === 0 ? 'M' : 'L'}${toX(perSecond)} ${toY(cores)}`
  )
  const [perSecond, cores] = points.at(-1) as [number, number]
  const [x, y] = [toX(perSecond), toY(cores)]
  const dot = perSecond < most.requestsPerSecond ? `<circle class="end" cx="${x}" cy="${y}" r="3.5"/>` : ''
  const name = `${instances} ${instances === 1 ? 'instance' : 'instances'}`
  return `<path class="line c${instances}" d="${path.join('')}"/>${dot}<text x="${x + 8}" y="${y + 4}">${escapeXml(name)}</text>`
}

/** Returns pairs of requests per second and busy cores, up to the limit of the instances. */
function sample(instances: number, replicas: number): [number, number][] {
  const fleet: Omit<Fleet, 'requestsPerSecond'> = {
    instances,
    replicas,
    primaryCores: 16,
    replicaCores: 16,
    hitRate,
    writeRate: 0,
    lookTime
  }
  const last = Math.min(
    most.requestsPerSecond,
    findLimit({ ...fleet, requestsPerSecond: 1 }).requestsPerSecond
  )
  return Array.from({ length: steps }, (_, index) => {
    const requestsPerSecond = (last * (index + 1)) / steps
    return [requestsPerSecond, loadParts({ ...fleet, requestsPerSecond })[1].busy]
  })
}

const toX = (perSecond: number): number =>
  round(panel.left + (perSecond / most.requestsPerSecond) * (panel.width - panel.left - panel.right))
const toY = (cores: number): number => round(panel.top + panel.plot * (1 - cores / most.cores))
const round = (pixels: number): number => Math.round(pixels * 10) / 10

/** Describes the picture in words. */
function describe(replicas: number): string {
  const lines = counts.map(instances => {
    const [perSecond, cores] = sample(instances, replicas).at(-1) as [number, number]
    return `${instances}: ${cores.toFixed(1)} at ${Math.round(perSecond)} a second`
  })
  return `${replicas === 0 ? 'Without' : 'With'} replicas, by instances: ${lines.join(', ')}.`
}
