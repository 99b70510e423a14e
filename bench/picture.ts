import { drawFrame, escapeXml, margin } from './frame.ts'
import type { Group, Results, Row } from './results.ts'

/** Sizes in pixels. Two panels side by side are as wide as the text of a README. */
const panel = { width: 390, labels: 178, bars: 120, bar: 12, line: 20, head: 46 }
const top = 64
/** The ratio at which a bar is cut off. */
const longestRatio = 1.25

const style = `
  .head { font-size: 13px; font-weight: 600 }
  .own { font-weight: 600 }
  .value { stroke: #ffffff; stroke-width: 4px; paint-order: stroke }
  .bar { fill: #a8b1bb }
  .own-bar { fill: #1a7f64 }
  .spread { stroke: #1f2328; stroke-opacity: .55 }
  .one { stroke: #59636e; stroke-opacity: .5; stroke-dasharray: 2 3 }
  @media (prefers-color-scheme: dark) {
    .value { stroke: #0d1117 }
    .bar { fill: #4d5763 }
    .own-bar { fill: #2fb890 }
    .spread { stroke: #f0f6fc }
    .one { stroke: #9198a1 }
  }`

/** Draws bench/results.svg: the requests per second of each contender by number of templates, with nine fields. */
export function formatPicture(results: Results): string {
  const groups = results.groups.filter(({ fields }) => fields === 'nine')
  const heights = groups.map(({ rows }) => panel.head + rows.length * panel.line + 16)
  const rowHeight = Math.max(0, ...heights)
  const width = 2 * panel.width + margin
  const height = top + Math.ceil(groups.length / 2) * rowHeight + 12
  const panels = groups.map((group, index) => {
    const x = margin / 2 + (index % 2) * (panel.width + margin / 2)
    const y = top + Math.floor(index / 2) * rowHeight
    return `<g transform="translate(${x} ${y})">\n${drawPanel(group)}\n</g>`
  })
  return drawFrame({
    title: 'Requests per second by contender',
    description: describe(groups),
    heading: `allProducts, requests per second${results.pinned ? ' on one core' : ''}`,
    caption: `${results.cpu}, Node.js ${results.node}, ${results.date}, median of ${results.rounds} × ${results.seconds} s. Dashed: Fastify sending a buffer. Lines: least to greatest.`,
    width,
    height,
    style,
    parts: panels
  })
}

function drawPanel({ templates, bytes, rows }: Group): string {
  const drawn = rows.filter(({ speed, perSecond }) => speed && perSecond)
  const one = panel.labels + toWidth(1)
  const end = panel.head + drawn.length * panel.line
  return [
    `<text class="head" x="10" y="30">${templates.toLocaleString('en')} templates</text>`,
    `<text class="soft" x="${panel.labels}" y="30">${formatSize(bytes)}</text>`,
    `<line class="one" x1="${one}" x2="${one}" y1="${panel.head - 6}" y2="${end}"/>`,
    ...drawn.map((row, index) => drawRow(row, panel.head + index * panel.line))
  ].join('\n')
}

function drawRow({ name, title, speed, perSecond }: Row, y: number): string {
  if (!speed || !perSecond) return ''
  const own = title.startsWith('product-templates')
  const [from, to] = [speed.min, speed.max].map(ratio => panel.labels + toWidth(ratio))
  const middle = y + panel.bar / 2
  const value = perSecond.median.toLocaleString('en', {
    maximumFractionDigits: perSecond.median < 10 ? 1 : 0
  })
  return `<text${own ? ' class="own"' : ''} x="${panel.labels - 8}" y="${y + 10}" text-anchor="end">${escapeXml(
    title.replace('product-templates, ', 'ours, ')
  )}</text><rect class="${own ? 'own-bar' : 'bar'}" x="${panel.labels}" y="${y}" width="${toWidth(speed.median)}" height="${panel.bar}" rx="2"><title>${escapeXml(name)}</title></rect><line class="spread" x1="${from}" x2="${to}" y1="${middle}" y2="${middle}"/><text class="value" x="${Math.max(to ?? 0, panel.labels + toWidth(speed.median)) + 6}" y="${y + 10}">${value}</text>`
}

/** Converts a ratio to pixels, at least one, so that the bar is visible. */
const toWidth = (ratio: number): number =>
  Math.round(Math.max(1, (Math.min(ratio, longestRatio) / longestRatio) * panel.bars) * 10) / 10

const formatSize = (bytes: number): string =>
  bytes < 1e6 ? `${Math.round(bytes / 1e3)} kB per response` : `${(bytes / 1e6).toFixed(1)} MB per response`

/** Describes the picture in words. */
function describe(groups: Group[]): string {
  const lines = groups.map(({ templates, rows }) => {
    const values = rows.map(({ title, perSecond }) => `${title} ${perSecond?.median ?? 'unknown'}`)
    return `${templates} templates: ${values.join(', ')}.`
  })
  return `Requests per second, median. ${lines.join(' ')}`
}
