/**
 * Lists the names that users of the service write in their code, scripts, settings, queries and dashboards. `npm run
 * docs` writes the list, and a test compares it, so that no name changes by accident.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  buildSchema,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLNamedType,
  isEnumType,
  isScalarType,
  isUnionType
} from 'graphql'
import { loadCommands } from '../cli/dispatch.ts'
import { loadParts, metricDefinitions } from '../features/load.ts'
import { type Api, loadApi } from '../graphql/api.ts'
import { hostChecks } from '../options/host.ts'
import { listPluginSettings, listSettings } from '../options/index.ts'
import { listEndpoints } from '../routes/index.ts'
import { prefix } from '../runtime/metrics/definitions.ts'
import type { Commands } from '../terminal/program.ts'

const root = join(import.meta.dirname, '..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')

/** The file of the list, one name in a line, sorted by kind. */
export const namesFile = 'test/public-names.txt'

export async function listPublicNames(): Promise<string[]> {
  const names = [
    ...(await listExports()),
    ...listOptions(),
    ...listVariables(),
    ...listCommands(await loadCommands()),
    ...(await listGraphql()),
    ...listEndpoints(await loadParts('server')).flatMap(({ path, methods }) =>
      Object.keys(methods).map(method => `endpoint ${method} ${path}`)
    ),
    ...Object.keys(metricDefinitions).map(name => `metric ${prefix}${name}`)
  ]
  return names.sort()
}

/** Lists what each entry of the package exports, with the members of exported objects. */
async function listExports(): Promise<string[]> {
  const { exports: entries, bin } = JSON.parse(read('package.json'))
  const names = Object.keys(bin).map(name => `bin ${name}`)
  for (const [entry, target] of Object.entries<string | { default: string }>(entries)) {
    names.push(`export ${entry}`)
    if (typeof target === 'string') continue
    const path = target.default.replace('./dist/', '').replace(/\.js$/, '.ts')
    const values = Object.entries<unknown>(await import(join(root, path)))
    for (const [name, value] of values) {
      const isPlain = Object.getPrototypeOf(value) === Object.prototype
      const members = isPlain ? Object.keys(value as object).map(member => `${name}.${member}`) : []
      names.push(...[name, ...members].map(own => `export ${entry}: ${own}`))
    }
    names.push(...listTypes(path).map(name => `export ${entry}: type ${name}`))
  }
  return names
}

/** Lists the types that a module exports. TypeScript 7 has no API that lists them. */
function listTypes(path: string): string[] {
  const text = read(path)
  const declared = [...text.matchAll(/^export (?:type|interface) (\w+)/gm)].map(([, name = '']) => name)
  const named = [...text.matchAll(/^export (type )?\{([^}]*)\}/gm)].flatMap(([, all, list = '']) =>
    list
      .split(',')
      .map(name => name.trim())
      .filter(name => all || name.startsWith('type '))
      .map(name => name.replace(/^type /, '').replace(/^.* as /, ''))
  )
  const passedOn = [...text.matchAll(/^export (?:type )?\* from '([^']+)'/gm)].flatMap(([, file = '']) =>
    listTypes(join(path, '..', file))
  )
  return [...declared, ...named, ...passedOn]
}

function listOptions(): string[] {
  const { common, hostOnly } = listPluginSettings()
  const settings = [...common, ...hostOnly].map(([option]) => option)
  return [...settings, ...Object.keys(hostChecks)].map(option => `option ${option}`)
}

const listVariables = (): string[] =>
  listSettings().flatMap(([, { env, secret }]) =>
    secret ? [`variable ${env}`, `variable ${env}_FILE`] : [`variable ${env}`]
  )

/** Lists commands with their options. Settings that are also flags of a command are listed as variables only. */
function listCommands(commands: Commands, words = ''): string[] {
  return Object.entries(commands).flatMap(
    ([word, { options = {}, settings = 'store', subcommands, run }]) => {
      const name = `${words} ${word}`
      const flags = Object.keys(options).map(option => `command${name} ${/--[\w-]+/.exec(option)}`)
      const own = run ? [`command${name} (settings: ${settings})`, ...flags] : [`command${name}`]
      return [...own, ...listCommands(subcommands ?? {}, name)]
    }
  )
}

/** Lists the names of the default schema, and those that are only in the schema of all features, or not in it. */
async function listGraphql(): Promise<string[]> {
  const usual = listSchema(await loadApi(await loadParts('schema', {}), {}))
  const whole = listSchema(await loadApi(await loadParts('schema'), {}))
  return [
    ...usual.map(name => `graphql ${name}`),
    ...whole.filter(name => !usual.includes(name)).map(name => `graphql of all features: ${name}`),
    ...usual.filter(name => !whole.includes(name)).map(name => `graphql not of all features: ${name}`)
  ]
}

const listSchema = ({ schema }: Api): string[] =>
  Object.values(buildSchema(schema).getTypeMap())
    .filter(({ name }) => !name.startsWith('__'))
    .flatMap(listMembers)

function listMembers(type: GraphQLNamedType): string[] {
  const { name } = type
  if (isScalarType(type)) return [name]
  if (isUnionType(type)) return type.getTypes().map(member => `${name} = ${member.name}`)
  if (isEnumType(type)) return type.getValues().map(value => `${name}.${value.name}`)
  return Object.values<GraphQLField<unknown, unknown> | GraphQLInputField>(type.getFields()).map(field => {
    const args = 'args' in field ? field.args.map(argument => argument.name).join(', ') : ''
    return `${name}.${field.name}${args && `(${args})`}`
  })
}
