import { type Static, type TObject, Type } from 'typebox'
import { Value } from 'typebox/value'
import { ArgumentError } from './errors.ts'

/** Returns an argument that matches its schema. Throws an ArgumentError that names every wrong property of `what`. */
export function checkArgument<S extends TObject>(what: string, schema: S, given: unknown): Static<S> {
  if (Value.Check(schema, given)) return given as Static<S>
  const values = Object(given) as Record<string, unknown>
  const unknown = Object.keys(values)
    .filter(name => !Object.hasOwn(schema.properties, name))
    .map(name => `${name} is not a property`)
  throw new ArgumentError(`${what}: ${[...unknown, ...describeWrong(schema, values)].join('; ')}`)
}

/** Says what each wrong property must be, never its value; the `description` of its type completes "it must be …". */
export const describeWrong = ({ properties }: TObject, values: Record<string, unknown>): string[] =>
  Object.entries(properties as Record<string, { description?: string }>)
    .filter(([name, type]) => !(Type.IsOptional(type) && values[name] === undefined))
    .filter(([name, type]) => !Value.Check(type, values[name]))
    .map(([name, { description }]) => `${name} must be ${description}`)
