import { readFileSync } from 'node:fs'
import { locate } from '../runtime/package/package-files.ts'
import { resolvers } from './resolvers/index.ts'

/** The schema and its resolvers. */
export interface Api {
  schema: string
  resolvers: Record<string, object>
}

/** The change of the schema by a feature. The settings include those of the feature. */
export interface SchemaChange {
  extendSchema(api: Api, settings: object): Api | Promise<Api>
  /** Whether it needs the schema with the changes of all other features. */
  isLast?: boolean
}

/** Reads the schema of the core and changes it. */
export async function loadApi(
  changes: SchemaChange[],
  settings: object,
  schema = readFileSync(locate('graphql/core.graphql'), 'utf8')
): Promise<Api> {
  let api: Api = { schema, resolvers }
  const inOrder = changes.toSorted(
    (one, other) => Number(one.isLast ?? false) - Number(other.isLast ?? false)
  )
  for (const { extendSchema } of inOrder) api = await extendSchema(api, settings)
  return api
}

/** Adds types with their resolvers. The fields of an `extend type` become fields of the existing type. */
export function addToApi({ schema, resolvers }: Api, types: string, added: Api['resolvers']): Api {
  const extended = Object.entries(added).map(([type, fields]) => [type, { ...resolvers[type], ...fields }])
  return { schema: addTypes(schema, types), resolvers: { ...resolvers, ...Object.fromEntries(extended) } }
}

const typeExtension = /^extend type (\w+) \{\n(.*?)\n\}\n/gms

/** Adds types, and fields to types. The text has no `extend type`, because people and tools read it. */
function addTypes(schema: string, types: string): string {
  let text = schema
  for (const [, name, fields] of types.matchAll(typeExtension)) {
    const start = text.search(new RegExp(`^type ${name}( implements [^{]+)? \\{$`, 'm'))
    if (start === -1) throw new Error(`the schema has no type ${name} to extend`)
    const end = text.indexOf('\n}\n', start)
    text = `${text.slice(0, end)}\n\n${fields}${text.slice(end)}`
  }
  return `${text.trimEnd()}\n\n${types.replace(typeExtension, '').trim()}\n`
}
