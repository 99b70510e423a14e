import { readFileSync } from 'node:fs'
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import { isObject } from '../../runtime/json-values.ts'
import { locate } from '../../runtime/package/package-files.ts'
import { describeKeyword, describePlace, type Problems } from './problem.ts'

/** The published JSON Schema, byte for byte. */
export const schemaText = readFileSync(locate('domain/template.schema.json'))

/** The only componentName that has a definition of its own in the schema. */
const trackingRecord = 'TrackingRecord'

/** Elements of a list that Ajv checks at once. */
const listSlice = 100

let compiled: ReturnType<typeof compile> | undefined

/** Compiles the schema. It runs on the first use only, because it takes about 50 ms. */
function compile() {
  const schema = JSON.parse(schemaText.toString())
  const ajv = new Ajv2020({ allErrors: true, verbose: true, strictTypes: false, allowUnionTypes: true })
  ajv.addSchema(schema, 'template')
  const find = (name: string) => ajv.getSchema(`template#/$defs/${name}`) as ValidateFunction
  return {
    /** All keys of a document except `attributes`. */
    keys: find('Keys'),
    trait: find('Trait'),
    trackingTrait: find('TrackingTrait'),
    /** The names of traits for which the schema knows the type of the value. */
    knownTraits: new Set<unknown>(schema.$defs.Trait.properties.trait_type.examples)
  }
}

/**
 * Checks a parsed document by the definition for its componentName. It checks one part after another. To find all
 * errors of a whole document would take minutes, because Ajv copies the errors so far for each entry with errors.
 */
export function checkDocument(document: unknown, componentName: unknown, problems: Problems): void {
  compiled ??= compile()
  const { keys, trait, trackingTrait } = compiled
  report(keys, document, '', problems)
  if (!isObject(document)) return
  const { attributes } = document
  if (attributes === undefined) return
  if (!Array.isArray(attributes))
    problems.add('SCHEMA', 'data', 'attributes must be a list of traits', '/attributes')
  else checkTraits(componentName === trackingRecord ? trackingTrait : trait, attributes, problems)
}

function checkTraits(validate: ValidateFunction, attributes: unknown[], problems: Problems): void {
  for (const [index, entry] of attributes.entries()) {
    if (problems.full) return
    for (const [start, part] of slices(entry)) report(validate, part, `/attributes/${index}`, problems, start)
  }
}

/** Yields an entry of `attributes`, or one for each slice of its long list, with the index of the first element. */
function* slices(entry: unknown): Generator<[start: number, entry: unknown]> {
  const value = isObject(entry) ? entry.value : undefined
  if (!Array.isArray(value) || value.length <= listSlice) yield [0, entry]
  else
    for (let start = 0; start < value.length; start += listSlice)
      yield [start, { ...(entry as object), value: value.slice(start, start + listSlice) }]
}

/** Adds one problem for each invalid place. `start` is the index of the first element of a slice. */
function report(
  validate: ValidateFunction,
  value: unknown,
  pointer: string,
  problems: Problems,
  start = 0
): void {
  if (problems.full || validate(value as object)) return
  const type = isObject(value) ? value.trait_type : undefined
  const trait = compiled?.knownTraits.has(type) ? (type as string) : undefined
  const seen = new Set<string>()
  for (const error of validate.errors as ErrorObject[]) {
    const { keyword, instancePath } = error
    // Errors of the entry itself were reported with the first slice.
    const element = instancePath.match(/^\/value\/(\d+)$/)?.[1]
    if (keyword === 'if' || (start > 0 && element === undefined)) continue
    const place = element === undefined ? instancePath : `/value/${start + Number(element)}`
    const key = keyword === 'required' ? `${place} ${error.params.missingProperty}` : place
    if (!seen.has(key))
      problems.add('SCHEMA', 'data', describeError(error, pointer + place, trait), pointer + place)
    seen.add(key)
  }
}

const types: Record<string, string> = {
  string: 'a string',
  integer: 'an integer',
  boolean: 'true or false',
  array: 'a list of strings',
  object: 'an object'
}

/** Makes a sentence of an error of Ajv. It may contain names and limits of the schema, but no value of the document. */
function describeError(error: ErrorObject, pointer: string, trait?: string): string {
  const { keyword, params, parentSchema, message } = error
  const ofTrait = trait !== undefined && /\/value(\/|$)/.test(pointer) ? ` (trait ${trait})` : ''
  const place = pointer === '' ? 'the document' : describePlace(pointer)
  // Ajv reports each missing key separately.
  const node = { ...parentSchema, ...(keyword === 'required' && { required: [params.missingProperty] }) }
  return `${place} ${describeKeyword(keyword, node, types) ?? message ?? 'is not valid'}${ofTrait}`
}
