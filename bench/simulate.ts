/**
 * `npm run simulate` computes from the measured costs of a request (simulation/costs.ts) what a fleet of instances with
 * PostgreSQL can serve, how long answers take, and what a million requests cost. `--help` lists its options.
 */
import { parseArgs } from 'node:util'
import { lookTime } from './simulation/costs.ts'
import { type Fleet, findLimit, type Part, simulate } from './simulation/model.ts'

const help = `Computes what a fleet can serve from what a request was measured to cost; see docs/scaling.md.

Usage: npm run simulate -- [options]

Options:
  --requests-per-second <n>  of all instances; default: 1000
  --instances <n>            processes, each with an event loop that uses one core; default: 2
  --replicas <n>             that serve the pages, behind an address that spreads connections; default: 0
  --primary-cores <n>        default: 2
  --replica-cores <n>        of each; default: 2
  --hit-rate <part>          of the reads that is answered with kept responses, from 0 to 1; default: 0.9
  --write-rate <part>        of the requests that writes, from 0 to 1; default: 0
  --look-time <ms>           of a look at the version on an idle primary; in a network, add its round trip;
                             default: ${lookTime}
  --price <money>            of a core for an hour; default: 0.04
  --help                     show this text`

const options = {
  'requests-per-second': { type: 'string', default: '1000' },
  instances: { type: 'string', default: '2' },
  replicas: { type: 'string', default: '0' },
  'primary-cores': { type: 'string', default: '2' },
  'replica-cores': { type: 'string', default: '2' },
  'hit-rate': { type: 'string', default: '0.9' },
  'write-rate': { type: 'string', default: '0' },
  'look-time': { type: 'string', default: String(lookTime) },
  price: { type: 'string', default: '0.04' },
  help: { type: 'boolean' }
} as const

/** Parses the arguments. Returns the help for `--help`; throws Error for wrong ones. */
export function parseFleet(words: string[]): { fleet: Fleet; price: number } | string {
  const { values } = parseArgs({ args: words, options })
  if (values.help) return help
  const read = (name: Exclude<keyof typeof options, 'help'>, from: number, to: number, isCount = true) => {
    const text = values[name]
    const number = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN
    if (!(number >= from && number <= to) || (isCount && !Number.isInteger(number)))
      throw new Error(
        `--${name} takes a ${isCount ? 'whole number' : 'number'} from ${from} to ${to}, not "${text}"`
      )
    return number
  }
  return {
    fleet: {
      perSecond: read('requests-per-second', 1, 1e7),
      instances: read('instances', 1, 10_000),
      replicas: read('replicas', 0, 1000),
      primaryCores: read('primary-cores', 1, 1000),
      replicaCores: read('replica-cores', 1, 1000),
      hitRate: read('hit-rate', 0, 1, false),
      writeRate: read('write-rate', 0, 1, false),
      lookTime: read('look-time', 0.01, 1000, false)
    },
    price: read('price', 0, 1000, false)
  }
}

const format = (value: number): string => value.toLocaleString('en', { maximumSignificantDigits: 3 })
const formatTime = (time: number): string =>
  Number.isFinite(time) ? `${format(time)} ms` : 'none: more arrives than is served'

function formatPart({ name, servers, cores, busy }: Part): string {
  const all = servers * cores
  return `| ${name} | ${format(busy)} of ${format(all)} | ${format(all === 0 ? 0 : (100 * busy) / all)} % |`
}

export function formatReport(fleet: Fleet, price: number): string {
  const { parts, kept, page } = simulate(fleet)
  const { perSecond, name } = findLimit(fleet)
  const sum = (cores: (part: Part) => number) =>
    (parts.reduce((total, part) => total + cores(part), 0) * 1e6) / fleet.perSecond
  const cost = (seconds: number) => format((seconds / 3600) * price)
  const busy = sum(part => part.busy)
  const paid = sum(({ servers, cores }) => servers * cores)
  return `| part | busy cores | |
| --- | --- | --- |
${parts.map(formatPart).join('\n')}

Limit: ${name}, at ${format(perSecond)} requests a second.
Mean time of an answer: kept ${formatTime(kept)}, page ${formatTime(page)}.
A million requests: ${format(busy)} s of processor time, which cost ${cost(busy)}; with the idle time of all cores, ${cost(paid)}.`
}

if (import.meta.main) {
  try {
    const parsed = parseFleet(process.argv.slice(2))
    console.log(typeof parsed === 'string' ? parsed : formatReport(parsed.fleet, parsed.price))
  } catch (error) {
    console.error((error as Error).message)
    process.exitCode = 2
  }
}
