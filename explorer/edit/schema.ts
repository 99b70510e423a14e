import { service } from '../api.ts'

/** The parts of the JSON Schema that the form uses. */
interface Property {
  title: string
  description?: string
  type?: string | string[]
  examples?: unknown[]
  $ref?: string
}

export interface Schema {
  $defs: Record<string, Property & { properties?: Record<string, Property> }>
}

let schema: Promise<Schema> | undefined

/** Reads the JSON Schema once. After a failure, the next form reads it again. */
export function readSchema(): Promise<Schema> {
  schema ??= requestSchema().catch(error => {
    schema = undefined
    throw error
  })
  return schema
}

async function requestSchema(): Promise<Schema> {
  const response = await fetch(new URL('schemas/template.json', service))
  if (!response.ok) throw new Error(`The schema could not be read: status ${response.status}`)
  return response.json()
}

/** Returns the keys of a document in order, without `attributes`. */
export const keysOf = ({ $defs }: Schema): [key: string, property: Property][] =>
  Object.entries($defs.Keys?.properties ?? {}).map(([key, property]) => [
    key,
    property.$ref ? { ...$defs[property.$ref.replace('#/$defs/', '')], ...property } : property
  ])

/** Returns the trait types that the schema suggests. */
export const traitNames = ({ $defs }: Schema): string[] =>
  ($defs.Trait?.properties?.trait_type?.examples ?? []).map(String)
