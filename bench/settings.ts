import { parseArgs } from 'node:util'
import { contenders } from './contenders/index.ts'
import { kinds } from './kinds.ts'
import { tokenTitles } from './tokens.ts'

/** The names that `--only` accepts. */
const names = [...Object.keys(contenders), ...Object.keys(tokenTitles), 'start', 'storm']

/** The names that `--kinds` accepts. */
const kindNames = [...Object.keys(kinds), 'mixed']

export interface Settings {
  rounds: number
  /** Seconds per measurement. */
  seconds: number
  templates: number[]
  fields: ('nine' | 'two')[]
  /** Names of contenders and of other rows; all if it is empty. */
  only: string[]
  /** Names of kinds. */
  kinds: string[]
  /** Whether nothing but the kinds is measured. */
  kindsAlone: boolean
  postgres: boolean
  load: 'autocannon' | 'wrk'
  connections: number
  write: boolean
}

const help = `Measures the service side by side with others on this machine.

Usage: npm run bench -- [options]

Options:
  --rounds <count>       measurements of each contender, one after the other in turn; default: 5
  --seconds <count>      of each measurement, more if the server is too slow for it; default: 3
  --templates <list>     numbers of templates; default: 10,100,1000,10000
  --fields <list>        nine (the contract), two (id name) or nine,two; default: nine
  --only <list>          contenders, and the baseline that they are compared with; default: all without PostgreSQL
                         ${names.join(', ').replace(/(.{60,80}), /g, '$1,\n                         ')}
  --kinds <list>         only queries of the same text with new variables, and small requests during large operations
                         (mixed): all, or some of
                         ${kindNames.join(', ')}
  --postgres             also on a bundled PostgreSQL server: 10 templates, and the kinds
  --load <program>       autocannon or wrk, which must be installed; refresh tokens are always sent by autocannon;
                         default: autocannon
  --connections <count>  default: 16; a quarter of them for the kinds, an eighth from 10,000 templates on
  --write                write bench/results.json, bench/README.md and bench/results.svg
  --help                 show this text`

const options = {
  rounds: { type: 'string', default: '5' },
  seconds: { type: 'string', default: '3' },
  templates: { type: 'string', default: '10,100,1000,10000' },
  fields: { type: 'string', default: 'nine' },
  only: { type: 'string', default: '' },
  kinds: { type: 'string' },
  postgres: { type: 'boolean', default: false },
  load: { type: 'string', default: 'autocannon' },
  connections: { type: 'string', default: '16' },
  write: { type: 'boolean', default: false },
  help: { type: 'boolean' }
} as const

/** Parses the arguments. Returns the help for `--help`. Throws an Error if they are invalid. */
export function parseSettings(words: string[]): Settings | string {
  const { values } = parseArgs({ args: words, options })
  if (values.help) return help
  const only = values.only === '' ? [] : choose('only', values.only, names)
  return {
    rounds: count('rounds', values.rounds),
    seconds: count('seconds', values.seconds),
    templates: values.templates.split(',').map(given => count('templates', given)),
    fields: choose('fields', values.fields, ['nine', 'two']),
    only,
    kinds: [undefined, 'all'].includes(values.kinds)
      ? kindNames
      : choose('kinds', values.kinds ?? '', kindNames),
    kindsAlone: values.kinds !== undefined,
    postgres: values.postgres || only.some(name => name in contenders && contenders[name]?.needsPostgres),
    load: choose('load', values.load, ['autocannon', 'wrk'])[0] as Settings['load'],
    connections: count('connections', values.connections),
    write: values.write
  }
}

function count(option: string, given: string): number {
  if (!/^[1-9]\d{0,6}$/.test(given)) throw new Error(`--${option} takes numbers from 1, not "${given}"`)
  return Number(given)
}

function choose<Name extends string>(option: string, given: string, known: readonly Name[]): Name[] {
  return given.split(',').map(word => {
    const name = known.find(name => name === word)
    if (name === undefined) throw new Error(`--${option} takes ${known.join(', ')}, not "${word}"`)
    return name
  })
}
