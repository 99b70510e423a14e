/** Draws the panels of the dashboard with the values of a run. */
import type { Panel, Unit } from './panels.ts'
import type { Series } from './prometheus.ts'

export interface Drawn extends Panel {
  lines: { legend: string; values: Series['values'] }[]
}

interface Run {
  from: number
  to: number
  /** Seconds since the start. */
  phases: { name: string; until: number }[]
  caption: string
  rows: { title: string; panels: Drawn[] }[]
}

/** Sizes in pixels. */
const columns = 3
const panel = { width: 300, height: 158, left: 46, top: 24, plot: 84 }
const gap = 16
const head = 78
const rowHead = 30
/** The maximum number of lines per panel, and the maximum length of a legend in rows of two or three. */
const maxLines = 6
const longestLegends = { 2: 27, 3: 15 }

const style = `
  text { font: 11px system-ui, -apple-system, "Segoe UI", sans-serif; fill: #1f2328 }
  .title { font-size: 16px; font-weight: 600 }
  .row { font-size: 14px; font-weight: 600 }
  .head { font-weight: 600 }
  .soft { fill: #59636e; font-size: 10px }
  .page { fill: #ffffff }
  .axis { stroke: #59636e; stroke-opacity: .35 }
  .phase { fill: #59636e; fill-opacity: .08 }
  .line { fill: none; stroke-width: 1.4 }
  .c0 { stroke: #1a7f64 } .c1 { stroke: #0969da } .c2 { stroke: #bc4c00 }
  .c3 { stroke: #8250df } .c4 { stroke: #bf3989 } .c5 { stroke: #9a6700 }
  .k0 { fill: #1a7f64 } .k1 { fill: #0969da } .k2 { fill: #bc4c00 }
  .k3 { fill: #8250df } .k4 { fill: #bf3989 } .k5 { fill: #9a6700 }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc }
    .soft { fill: #9198a1 }
    .page { fill: #0d1117 }
    .axis { stroke: #9198a1 }
    .c0 { stroke: #2fb890 } .c1 { stroke: #4493f8 } .c2 { stroke: #f0883e }
    .c3 { stroke: #ab7df8 } .c4 { stroke: #db61a2 } .c5 { stroke: #d29922 }
    .k0 { fill: #2fb890 } .k1 { fill: #4493f8 } .k2 { fill: #f0883e }
    .k3 { fill: #ab7df8 } .k4 { fill: #db61a2 } .k5 { fill: #d29922 }
  }
`

export function drawRun({ from, to, phases, caption, rows }: Run): string {
  const width = gap + columns * (panel.width + gap)
  const parts: string[] = []
  let y = head
  for (const { title, panels } of rows) {
    parts.push(`<text class="row" x="${gap}" y="${y + 16}">${escapeXml(title)}</text>`)
    y += rowHead
    panels.forEach((drawn, index) => {
      const x = gap + (index % columns) * (panel.width + gap)
      const top = y + Math.floor(index / columns) * (panel.height + gap)
      parts.push(`<g transform="translate(${x} ${top})">\n${drawPanel(drawn, { from, to, phases })}\n</g>`)
    })
    y += Math.ceil(panels.length / columns) * (panel.height + gap)
  }
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${y}" viewBox="0 0 ${width} ${y}" role="img" aria-labelledby="title description">
<title id="title">The panels of the dashboard during a run</title>
<desc id="description">${escapeXml(caption)}</desc>
<style>${style}</style>
<rect class="page" width="${width}" height="${y}" rx="8"/>
<text class="title" x="${gap}" y="28">The dashboard during two minutes of load</text>
${wrap(caption)
  .map((line, index) => `<text class="soft" x="${gap}" y="${46 + 14 * index}">${escapeXml(line)}</text>`)
  .join('\n')}
${parts.join('\n')}
</svg>
`
}

function drawPanel(
  { title, unit, lines }: Drawn,
  { from, to, phases }: Pick<Run, 'from' | 'to' | 'phases'>
): string {
  const shown = [...lines].sort((a, b) => greatest(b) - greatest(a)).slice(0, maxLines)
  const most = Math.max(...shown.map(greatest)) || 1
  const toX = (time: number) => round(panel.left + ((time - from) / (to - from)) * (panel.width - panel.left))
  const toY = (value: number) => round(panel.top + panel.plot * (1 - value / (1.05 * most)))
  const bottom = panel.top + panel.plot
  const abreast = shown.some(({ legend }) => legend.length > longestLegends[3]) ? 2 : 3
  // Every second phase is shaded.
  const shades = phases.flatMap(({ until }, index) => {
    const begin = toX(from + (phases[index - 1]?.until ?? 0))
    if (index % 2 === 0) return []
    const width = round(toX(Math.min(to, from + until)) - begin)
    return `<rect class="phase" x="${begin}" y="${panel.top}" width="${width}" height="${panel.plot}"/>`
  })
  return [
    `<text class="head" x="0" y="12">${escapeXml(title)}</text>`,
    ...shades,
    `<line class="axis" x1="${panel.left}" x2="${panel.width}" y1="${bottom}" y2="${bottom}"/>`,
    `<line class="axis" x1="${panel.left}" x2="${panel.width}" y1="${toY(most)}" y2="${toY(most)}" stroke-dasharray="2 3"/>`,
    `<text class="soft" x="${panel.left - 4}" y="${toY(most) + 4}" text-anchor="end">${formatValue(most, unit)}</text>`,
    `<text class="soft" x="${panel.left - 4}" y="${bottom + 3}" text-anchor="end">0</text>`,
    ...shown.map(
      ({ values }, index) =>
        `<path class="line c${index}" d="${values
          .filter(([, value]) => Number.isFinite(value))
          .map(([time, value], place) => `${place === 0 ? 'M' : 'L'}${toX(time)} ${toY(value)}`)
          .join('')}"/>`
    ),
    ...shown.map(({ legend }, index) => {
      const x = (index % abreast) * (panel.width / abreast)
      const y = bottom + 16 + 13 * Math.floor(index / abreast)
      const longest = longestLegends[abreast]
      const text = legend.length > longest ? `${legend.slice(0, longest - 1)}…` : legend
      return `<rect class="k${index}" x="${x}" y="${y - 7}" width="7" height="7" rx="1"/><text class="soft" x="${x + 10}" y="${y}">${escapeXml(text)}</text>`
    })
  ].join('\n')
}

const greatest = ({ values }: Drawn['lines'][number]): number =>
  Math.max(0, ...values.map(([, value]) => value).filter(Number.isFinite))

/** Formats a value in the units of Grafana. */
function formatValue(value: number, unit: Unit): string {
  const digits = (number: number) =>
    Number(number.toPrecision(2)).toLocaleString('en', { maximumFractionDigits: 3 })
  if (unit === 's') return value < 1 ? `${digits(value * 1000)} ms` : `${digits(value)} s`
  if (unit === 'percentunit') return `${digits(value * 100)} %`
  if (unit === 'bytes')
    return value > 1e9 ? `${digits(value / 2 ** 30)} GiB` : `${digits(value / 2 ** 20)} MiB`
  return value >= 10_000 ? `${digits(value / 1000)}k` : digits(value)
}

function wrap(text: string): string[] {
  return text.match(/.{1,165}(?: |$)/g)?.map(line => line.trimEnd()) ?? []
}

const round = (pixels: number): number => Math.round(pixels * 10) / 10

const escapeXml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
