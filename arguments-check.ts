import type { Static, TSchema } from 'typebox'
import { Type } from 'typebox'
import { Value } from 'typebox/value'
import { ArgumentError } from './errors.ts'

/** Returns an argument that matches its schema. Throws an ArgumentError that names every wrong property of `what`. */
export function checkArgument<S extends TSchema>(what: string, schema: S, given: unknown): Static<S> {
  if (Value.Check(schema, given)) return given as Static<S>
  const { properties } = schema as unknown as {
    properties: Record<string, TSchema & { description?: string }>
  }
  const values = Object(given) as Record<string, unknown>
  const wrong = Object.entries(properties)
    .filter(([name, type]) => !(Type.IsOptional(type) && values[name] === undefined))
    .filter(([name, type]) => !Value.Check(type, values[name]))
    .map(([name, { description }]) => `${name} must be ${description}`)
  const unknown = Object.keys(values)
    .filter(name => !Object.hasOwn(properties, name))
    .map(name => `${name} is not a property`)
  throw new ArgumentError(`${what}: ${[...unknown, ...wrong].join('; ')}`)
}
