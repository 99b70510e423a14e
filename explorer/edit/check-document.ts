import { type OutputUnit, Validator } from '@cfworker/json-schema'
import { type ParseError, parse } from 'jsonc-parser'
import { describeKeyword, makeProblem, type SchemaNode } from '../../domain/validation/problem.ts'
import { findPosition } from '../../runtime/json-values.ts'
import { type Problem, valueAt } from './problem.ts'
import type { Schema } from './schema.ts'
import { noDecimals, outOfRange } from './trait-kinds.ts'

/** Finds violations of the JSON Schema in the text of a document. */
type CheckDocument = (data: string, componentName: string) => Problem[]

/** Keywords that only report a problem inside of them. */
const outer = new Set(['$ref', 'properties', 'items', 'allOf', 'if'])

/** Plain words for JSON types. */
const types: Record<string, string> = {
  string: 'text',
  integer: 'a whole number',
  boolean: 'yes or no',
  array: 'a list',
  object: 'an object'
}

/** Returns the check for a schema. It reports each place once. The service checks again when the user saves. */
export function checkWith(schema: Schema): CheckDocument {
  const validatorOf = (name: string) =>
    new Validator({ ...schema, $ref: `#/$defs/${name}` } as never, '2020-12', false)
  const validators = { Document: validatorOf('Document'), TrackingRecord: validatorOf('TrackingRecord') }
  return (data, componentName) => {
    const errors: ParseError[] = []
    const document = parse(data, errors, { disallowComments: true })
    if (errors[0] || data.trim() === '') return [describeMistake(data, errors[0]?.offset ?? 0)]
    const name = componentName === 'TrackingRecord' ? 'TrackingRecord' : 'Document'
    const found = validators[name].validate(document).errors.filter(({ keyword }) => !outer.has(keyword))
    return Array.from(Map.groupBy(found, ({ instanceLocation }) => instanceLocation).values(), ([first]) =>
      toProblem(first as OutputUnit, { ...schema, $ref: `#/$defs/${name}` }, document)
    )
  }
}

function toProblem(unit: OutputUnit, schema: object, document: unknown): Problem {
  const pointer = unit.instanceLocation.slice(1)
  const [, index] = pointer.match(/^\/attributes\/(\d+)\/value/) ?? []
  const { attributes } = (document ?? {}) as { attributes?: { trait_type?: unknown }[] }
  const isOfTrait = index !== undefined && unit.keywordLocation.includes('/then/')
  const subject = isOfTrait ? `${attributes?.[Number(index)]?.trait_type} ` : ''
  const node = findNode(schema as never, unit.keywordLocation)
  const isNumber = index !== undefined && typeof valueAt(document, pointer) === 'number'
  const fault =
    (isNumber ? describeNumber(unit.keyword, node) : undefined) ??
    describePattern(unit.keyword, pointer) ??
    describeKeyword(unit.keyword, node, types) ??
    unit.error
  const problem = { code: 'SCHEMA', path: ['data'] }
  const [, unnamed] = pointer.match(/^(\/attributes\/\d+)(\/trait_type)?$/) ?? []
  if (unnamed !== undefined && ['required', 'minLength'].includes(unit.keyword))
    return { ...problem, message: 'needs a name', pointer: unnamed }
  return { ...problem, message: `${subject}${fault}`, pointer }
}

/** Describes the fault of a text that has another form. The schema describes the forms for programmers. */
function describePattern(keyword: string, pointer: string): string | undefined {
  if (keyword !== 'pattern') return undefined
  return pointer === '/productId' ? 'must be a number or nothing' : 'must be a link without spaces or nothing'
}

/** Describes the fault of a trait's number; undefined if the trait has no numbers. */
function describeNumber(keyword: string, { type }: SchemaNode): string | undefined {
  if (keyword === 'maximum' || keyword === 'minimum') return outOfRange
  return keyword === 'type' && [type].flat().includes('integer') ? noDecimals : undefined
}

/**
 * Finds the schema node that contains a keyword. `location` is the validator's path through references, such as
 * `#/$ref/properties/name/type`.
 */
function findNode(schema: SchemaNode, location: string): SchemaNode {
  let node = schema
  for (const step of location.split('/').slice(1, -1)) {
    const next = node[step]
    const name = String(next).replace('#/$defs/', '')
    node = (step === '$ref' ? schema.$defs?.[name as never] : next) as SchemaNode
  }
  return node
}

function describeMistake(text: string, offset: number): Problem {
  const { line, column } = findPosition(text, offset)
  return makeProblem('INVALID_JSON', `the text is not valid JSON: see line ${line}, column ${column}`, 'data')
}
