import type { ErrorObject } from 'ajv/dist/2020.js'

/** Makes a sentence of an error of Ajv. It has names and limits of the schema, but no value of the document. */
export function describeError(error: ErrorObject, pointer: string, trait?: string): string {
  const ofTrait = trait !== undefined && /\/value(\/|$)/.test(pointer) ? ` (trait ${trait})` : ''
  return `${describePlace(pointer)} ${describeRule(error)}${ofTrait}`
}

/** Converts `/attributes/3/value` to `attributes[3].value`. */
function describePlace(pointer: string): string {
  if (pointer === '') return 'the document'
  return pointer
    .slice(1)
    .replace(/\/(\d+)/g, '[$1]')
    .replaceAll('/', '.')
}

const types: Record<string, string> = {
  string: 'a string',
  integer: 'an integer',
  boolean: 'true or false',
  array: 'a list of strings',
  object: 'an object'
}

function describeRule({ keyword, params, parentSchema, message }: ErrorObject): string {
  switch (keyword) {
    case 'type':
      return `must be ${joinWithOr([params.type].flat().map(type => types[type] ?? type))}`
    case 'required':
      return `has no ${params.missingProperty}`
    case 'enum':
      return `must be ${joinWithOr(params.allowedValues)}`
    case 'minLength':
      return 'must not be empty'
    case 'minimum':
      return `must be at least ${params.limit}`
    case 'maximum':
      return `must be at most ${params.limit}`
    case 'pattern':
      return `must be ${lowerFirst(parentSchema?.description ?? '')}`
    default:
      return message ?? 'is not valid'
  }
}

const joinWithOr = (words: string[]): string =>
  words.length === 1 ? (words[0] as string) : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`

/** Makes the end of a sentence of a description. */
const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1).replace(/\.$/, '')
