/**
 * `npm run simulate` computes the capacity of a fleet of instances with PostgreSQL and the cost of a million requests
 * from the measured costs of a request (simulation/costs.ts). `--help` lists its options.
 */
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'
import { lookTime } from './simulation/costs.ts'
import { type Fleet, findLimit, loadParts, type Part } from './simulation/model.ts'

type Range = readonly [from: number, to: number, standard: number, help: string]

const options: Record<keyof Fleet | 'price', Range> = {
  requestsPerSecond: [1, 1e7, 1000, 'of all instances'],
  instances: [1, 10_000, 2, 'processes, each with an event loop that uses one core'],
  replicas: [0, 1000, 0, 'that serve the pages and share them evenly'],
  primaryCores: [1, 1000, 2, 'of the primary'],
  replicaCores: [1, 1000, 2, 'of each replica'],
  hitRate: [0, 1, 0.9, 'part of the reads that is answered with cached responses'],
  writeRate: [0, 1, 0, 'part of the requests that writes'],
  lookTime: [0.01, 1000, lookTime, 'ms of a look at the version on an idle primary, with its round trip'],
  price: [0, 1000, 0.04, 'of a core for an hour']
}

/** Options that accept fractions; the others are whole numbers. */
const fractions = ['hitRate', 'writeRate', 'lookTime', 'price']

const nameOf = (key: string): string => key.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)

const help = `Computes what a fleet can serve from what a request was measured to cost; see docs/scaling.md.

Usage: npm run simulate -- [options]

Options:
${Object.entries(options)
  .map(
    ([key, [from, to, standard, help]]) =>
      `  ${`--${nameOf(key)} <n>`.padEnd(27)}${help}; ${from} to ${to}, default: ${standard}`
  )
  .join('\n')}
  --help                     show this text`

/** Parses the arguments. Returns the help for `--help`. Throws an Error if they are invalid. */
export function parseFleet(words: string[]): { fleet: Fleet; price: number } | string {
  const names = Object.keys(options).map(key => [nameOf(key), { type: 'string' } as const])
  const named: ParseArgsOptionsConfig = { ...Object.fromEntries(names), help: { type: 'boolean' } }
  const { values } = parseArgs({ args: words, options: named })
  if (values.help) return help
  const numbers = Object.entries(options).map(([key, range]) => [
    key,
    readNumber(key, values[nameOf(key)], range)
  ])
  const { price, ...fleet } = Object.fromEntries(numbers)
  return { fleet, price }
}

function readNumber(key: string, text: unknown, [from, to, standard]: Range): number {
  if (text === undefined) return standard
  const number = /^\d+(\.\d+)?$/.test(String(text)) ? Number(text) : Number.NaN
  const isWhole = !fractions.includes(key)
  if (number >= from && number <= to && (!isWhole || Number.isInteger(number))) return number
  const kind = isWhole ? 'whole number' : 'number'
  throw new Error(`--${nameOf(key)} takes a ${kind} from ${from} to ${to}, not "${text}"`)
}

const format = (value: number): string => value.toLocaleString('en', { maximumSignificantDigits: 3 })

const formatPart = ({ name, busy, cores }: Part): string =>
  `| ${name} | ${format(busy)} of ${format(cores)} | ${format(cores === 0 ? 0 : (100 * busy) / cores)} % |`

export function formatReport(fleet: Fleet, price: number): string {
  const parts = loadParts(fleet)
  const { requestsPerSecond, name } = findLimit(fleet)
  const perMillion = (cores: (part: Part) => number) =>
    (parts.reduce((sum, part) => sum + cores(part), 0) * 1e6) / fleet.requestsPerSecond
  const cost = (seconds: number) => format((seconds / 3600) * price)
  const busy = perMillion(part => part.busy)
  return `| part | busy cores | |
| --- | --- | --- |
${parts.map(formatPart).join('\n')}

Limit: ${name}, at ${format(requestsPerSecond)} requests a second.
A million requests: ${format(busy)} s of processor time, which cost ${cost(busy)}; with the idle time of all cores, ${cost(perMillion(part => part.cores))}.`
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
