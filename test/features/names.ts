import { readdirSync, readFileSync } from 'node:fs'
import type { Feature } from '../../features/feature.ts'
import * as list from '../../features/index.ts'
import { listPluginSettings, listSettings } from '../../options/index.ts'
import { toFlag } from '../../options/sources.ts'

const root = new URL('../../', import.meta.url)

/** The line of each listed feature in `features/index.ts`, with its folder. */
export const lines = [
  ...readFileSync(new URL('features/index.ts', root), 'utf8').matchAll(
    /^export \{ (\w+) \} from '\.\/([\w-]+)\/index\.ts'\n/gm
  )
].map(([line, name = '', folder = '']) => ({
  line,
  folder,
  feature: (list as Record<string, Feature>)[name]!
}))

/** The folders that the list of features does not have yet. */
export const otherFolders = readdirSync(new URL('features/', root), { withFileTypes: true })
  .filter(entry => entry.isDirectory() && !lines.some(({ folder }) => folder === entry.name))
  .map(({ name }) => name)
  .sort()

const core = readFileSync(new URL('graphql/core.graphql', root), 'utf8')

/** Lists the names that a feature adds, as users of the service see them. */
export async function listNames({
  settings = {},
  commands = {},
  tables = {},
  auditActions = {},
  metrics = {},
  fileFormats,
  schema,
  server
}: Feature) {
  const all = [...listSettings(), ...listPluginSettings().hostOnly]
  const own = all.filter(([option]) => Object.hasOwn(settings, option))
  const change = (await schema?.())?.schema
  const resolvers = (await change?.extendSchema({ schema: core, resolvers: {} }, {}))?.resolvers
  const { endpoints = {}, makeDocumentFinder } = (await server?.())?.server ?? {}
  const { extensions = {}, folders, importOptions, exportOptions } = fileFormats ?? {}
  const words = Object.keys({ ...importOptions, ...exportOptions })
  const variables = own.flatMap(([, { env }]) => env ?? [])
  return {
    options: own.map(([option]) => option),
    variables,
    flags: variables.map(variable => `--${toFlag(variable)}`),
    fileOptions: words.map(word => /--[\w-]+/.exec(word)?.[0] ?? word),
    extensions: [...Object.values(extensions).flat(), ...(folders ? [folders] : [])],
    commands: Object.keys(commands),
    tables: Object.keys(tables),
    actions: Object.keys(auditActions),
    metrics: Object.keys(metrics),
    fields: [...Object.keys(resolvers?.Query ?? {}), ...Object.keys(resolvers?.Mutation ?? {})],
    paths: Object.keys(endpoints),
    /** What only one feature may give. */
    unique: [...(folders ? ['folders'] : []), ...(makeDocumentFinder ? ['makeDocumentFinder'] : [])]
  }
}

/** Escapes a name for a regular expression. */
export const escapeName = (name: string): string => name.replace(/[/.:*-]/g, '\\$&')
