import type { ErrorObject } from 'ajv/dist/2020.js'
import { describePlace, describeRule } from './wording.ts'

const types: Record<string, string> = {
  string: 'a string',
  integer: 'an integer',
  boolean: 'true or false',
  array: 'a list of strings',
  object: 'an object'
}

/** Makes a sentence of an error of Ajv. It has names and limits of the schema, but no value of the document. */
export function describeError(error: ErrorObject, pointer: string, trait?: string): string {
  const { keyword, params, parentSchema, message } = error
  const ofTrait = trait !== undefined && /\/value(\/|$)/.test(pointer) ? ` (trait ${trait})` : ''
  const place = pointer === '' ? 'the document' : describePlace(pointer)
  // Ajv reports each missing key by itself.
  const rule = { ...parentSchema, ...(keyword === 'required' && { required: [params.missingProperty] }) }
  return `${place} ${describeRule(keyword, rule, types) ?? message ?? 'is not valid'}${ofTrait}`
}
