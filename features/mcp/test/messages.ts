/** Messages at the limits, made from the schemas of the protocol and from the arguments of the tools. */
import * as types from '@modelcontextprotocol/sdk/types.js'

type Path = readonly string[]

/** The part of zod's schemas that is read here. */
interface Zod {
  shape?: Record<string, Zod>
  element?: Zod
  value?: string
  options?: Zod[]
  unwrap?(): Zod
}

/** The paths of the members of a schema, the inner ones too. */
function pathsOfZod(schema: Zod, levels: number): Path[] {
  const { shape = {} } = unwrap(schema)
  return Object.entries(shape).flatMap(([name, inner]) =>
    withInner(name, levels, () => pathsOfZod(inner, levels - 1))
  )
}

const unwrap = (schema: Zod): Zod => (schema.unwrap ? unwrap(schema.unwrap()) : (schema.element ?? schema))

const withInner = (name: string, levels: number, listInner: () => Path[]): Path[] => [
  [name],
  ...(levels > 1 ? listInner().map(path => [name, ...path]) : [])
]

/** The part of JSON Schema that the arguments of tools use. */
export interface JsonSchema {
  properties?: Record<string, JsonSchema>
  items?: JsonSchema
  $ref?: string
  $defs?: Record<string, JsonSchema>
}

/** The paths of the arguments of a tool, the inner ones too. */
export function pathsOfArguments(schema: JsonSchema, levels: number, $defs = schema.$defs ?? {}): Path[] {
  const { items = schema } = schema
  const { properties = {} } = items.$ref ? ($defs[items.$ref.replace('#/$defs/', '')] ?? {}) : items
  return Object.entries(properties).flatMap(([name, inner]) =>
    withInner(name, levels, () => pathsOfArguments(inner, levels - 1, $defs))
  )
}

const initialize = {
  protocolVersion: types.LATEST_PROTOCOL_VERSION,
  capabilities: {},
  clientInfo: { name: 'test', version: '1' }
}
const usual: Record<string, object> = { initialize, 'tools/call': { name: 'search_templates' } }

/** A message, and where a value is put in it. */
export interface Target {
  message: object
  path: Path
}

/** Yields each member of each message that a client may send, according to the SDK. */
export function* protocolTargets(): Generator<Target> {
  const { ClientRequestSchema, ClientNotificationSchema, ClientResultSchema } = types
  const requests = ClientRequestSchema as unknown as Zod
  const notifications = ClientNotificationSchema as unknown as Zod
  for (const [more, schema] of [[{ id: 1 }, requests] as const, [{}, notifications] as const])
    for (const { shape = {} } of schema.options ?? []) {
      const method = shape.method?.value ?? ''
      const message = { jsonrpc: '2.0', method, ...more, params: usual[method] ?? {} }
      yield { message, path: ['params'] }
      yield { message, path: ['params', 'unknown'] }
      for (const path of pathsOfZod(shape.params ?? {}, 3)) yield { message, path: ['params', ...path] }
    }
  for (const path of [['id'], ['method'], ['jsonrpc'], ['unknown']])
    yield { message: { jsonrpc: '2.0', id: 1, method: 'ping' }, path }
  for (const schema of (ClientResultSchema as unknown as Zod).options ?? [])
    for (const path of pathsOfZod(schema, 1))
      yield { message: { jsonrpc: '2.0', id: 1, result: {} }, path: ['result', ...path] }
  yield { message: { jsonrpc: '2.0', id: 1 }, path: ['error', 'data'] }
}

/** Bytes, values and levels. */
export interface Size {
  bytes: number
  values: number
  levels: number
}

/** JSON texts of a size. */
export const valuesOf = ({ bytes, values, levels }: Size): Record<string, string> => ({
  text: JSON.stringify('x'.repeat(bytes)),
  'escaped text': JSON.stringify('"'.repeat(bytes / 2)),
  numbers: JSON.stringify(Array(values).fill(0)),
  objects: JSON.stringify(Array(values).fill({})),
  keys: JSON.stringify(Object.fromEntries(Array.from({ length: values }, (_, n) => [`k${n}`, 0]))),
  'nested lists': `${'['.repeat(levels)}${']'.repeat(levels)}`,
  'nested objects': `${'{"a":'.repeat(levels)}0${'}'.repeat(levels)}`
})

const mark = '@value@'

/** Writes the message with the value at its place. */
export function write({ message, path }: Target, value: string): string {
  const copy = structuredClone(message) as Record<string, unknown>
  let parent = copy
  for (const name of path.slice(0, -1)) {
    parent[name] = typeof parent[name] === 'object' ? parent[name] : {}
    parent = parent[name] as Record<string, unknown>
  }
  parent[path.at(-1) as string] = mark
  return JSON.stringify(copy).replace(JSON.stringify(mark), () => value)
}
