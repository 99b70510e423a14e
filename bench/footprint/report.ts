import { describeRun } from '../report.ts'
import type { Install } from './install.ts'
import type { Footprint } from './process.ts'

/** The targets in the units of {@link Footprint}, and in MB. */
const targets = { ready: 600, idle: 110, loaded: 170, install: 85 }

const rows: { key: keyof Footprint; title: string; unit: string }[] = [
  { key: 'ready', title: 'from the start of the process to the first 200 of `/readyz`', unit: 'ms' },
  { key: 'cpu', title: 'processor time until then, all threads', unit: 'ms' },
  { key: 'idle', title: 'resident memory when idle', unit: 'MiB' },
  { key: 'loaded', title: 'resident memory after 10,000 requests', unit: 'MiB' }
]

export function formatPage({
  own,
  bare,
  install
}: {
  own: Footprint[]
  bare: Footprint[]
  install: Install
}): string {
  const lines = rows.map(({ key, title, unit }) => {
    const [mine, other] = [own, bare].map(runs => runs.map(run => run[key]).sort((a, b) => a - b))
    const ratio = median(mine) / median(other)
    const target = key in targets ? targets[key as keyof typeof targets] : undefined
    const judged = target === undefined ? '' : `${target} ${unit}${median(mine) <= target ? '' : ', missed'}`
    return `| ${title} | ${spread(mine, unit)} | ${spread(other, unit)} | ${ratio.toFixed(2)} | ${judged} |`
  })
  const { packages, size, onDisk, largest } = install
  return `# What the service needs

\`npm run bench:footprint -- --write\` wrote this page: ${describeRun()}, ${own.length} rounds in turn. The service has a
SQLite file with the demo data, and checks a token per request. "Bare" is Fastify with Mercurius and twelve templates in
memory ([contenders/bare.ts](contenders/bare.ts)). Median, and the least and greatest in parentheses.

|  | product-templates | bare | ratio | target |
| --- | --- | --- | --- | --- |
${lines.join('\n')}

An installation without development dependencies has ${packages} packages with ${size.toFixed()} MB of files, which take
${onDisk.toFixed()} MB on this disk; the target is ${targets.install} MB. The largest:

| package | MB |
| --- | --- |
${largest.map(({ name, size }) => `| ${name} | ${size.toFixed(1)} |`).join('\n')}
`
}

const median = (sorted: number[] = []): number => sorted[sorted.length >> 1] ?? Number.NaN

const spread = (sorted: number[] = [], unit: string): string =>
  `${median(sorted).toFixed()} ${unit} (${sorted[0]?.toFixed()}–${sorted.at(-1)?.toFixed()})`
