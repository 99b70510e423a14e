/**
 * TypeBox's schemas for settings, made and checked without TypeBox at run time: loading its 680 modules takes longer than
 * most commands.
 */
import type { TSchema, Type as TypeBox } from 'typebox'

type Kind = 'Boolean' | 'Enum' | 'Integer' | 'Object' | 'Optional' | 'Refine' | 'String'

const schemas = {
  Boolean: (options: object) => ({ type: 'boolean', ...options }),
  Enum: (values: unknown[], options: object) => ({ enum: values, ...options }),
  Integer: (options: object) => ({ type: 'integer', ...options }),
  Object: (properties: object) => ({ type: 'object', properties }),
  Optional: (type: object) => type,
  Refine: (type: object, refine: (value: string) => boolean) => ({ ...type, refine }),
  String: (options: object) => ({ type: 'string', ...options })
}

/** Makes the schema of a setting, as TypeBox does. Every setting may be absent; those that are not optional have a default. */
export const Type = schemas as unknown as Pick<typeof TypeBox, Kind>

/** What JSON Schema says of a value that is not an object. */
interface Rules {
  type?: 'boolean' | 'integer' | 'string'
  enum?: unknown[]
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  pattern?: string
  refine?(value: string): boolean
}

/** Whether a value matches the schema of its setting. */
export function matches(schema: TSchema, value: unknown): boolean {
  const rules = schema as Rules
  if (rules.enum) return rules.enum.includes(value)
  if (rules.type === 'integer')
    return Number.isInteger(value) && isBetween(value as number, rules.minimum, rules.maximum)
  if (typeof value !== 'string') return typeof value === rules.type
  if (rules.type !== 'string') return false
  if (rules.pattern !== undefined && !new RegExp(rules.pattern, 'u').test(value)) return false
  return isBetween([...value].length, rules.minLength, rules.maxLength) && (rules.refine?.(value) ?? true)
}

const isBetween = (
  number: number,
  least = Number.NEGATIVE_INFINITY,
  most = Number.POSITIVE_INFINITY
): boolean => number >= least && number <= most
