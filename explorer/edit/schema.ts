import { service } from '../api.ts'

/** What the form needs of the JSON Schema of documents. */
export interface Property {
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

/** Reads the JSON Schema once. */
export function readSchema(): Promise<Schema> {
  schema ??= fetch(new URL('schemas/template.json', service)).then(response => response.json())
  return schema
}

/** The keys of a document other than `attributes`, in their order. */
export const keysOf = ({ $defs }: Schema): [key: string, property: Property][] =>
  Object.entries($defs.Keys?.properties ?? {}).map(([key, property]) => [
    key,
    property.$ref ? { ...$defs[property.$ref.replace('#/$defs/', '')], ...property } : property
  ])

/** The names of traits that the schema knows. */
export const traitNames = ({ $defs }: Schema): string[] =>
  ($defs.Trait?.properties?.trait_type?.examples ?? []).map(String)
