/** A node of the JSON Schema. */
type Node = { [key: string]: unknown }

/** Finds the node that has a keyword. `location`: where the validator found it, through references: `#/$ref/properties/name/type`. */
export function findRule(schema: Node, location: string): Node {
  let node = schema
  for (const step of location.split('/').slice(1, -1)) {
    const next = node[step]
    node = (step === '$ref' ? schema.$defs?.[String(next).replace('#/$defs/', '') as never] : next) as Node
  }
  return node
}

const types: Record<string, string> = {
  string: 'text',
  integer: 'a whole number',
  boolean: 'yes or no',
  array: 'a list',
  object: 'an object'
}

/** Says what a keyword asks for, as the end of a sentence; undefined for one that the schema of documents does not use. */
export function describeRule(keyword: string, rule: Node): string | undefined {
  switch (keyword) {
    case 'type':
      return `must be ${joinWithOr([rule.type].flat().map(type => types[String(type)] ?? String(type)))}`
    case 'enum':
      return `must be ${joinWithOr((rule.enum as unknown[]).map(String))}`
    case 'required':
      return `has no ${joinWithOr(rule.required as string[])}`
    case 'minLength':
      return 'must not be empty'
    case 'minimum':
      return `must be at least ${rule.minimum}`
    case 'maximum':
      return `must be at most ${rule.maximum}`
    case 'pattern':
      return `must be ${lowerFirst(String(rule.description))}`
    default:
      return undefined
  }
}

const joinWithOr = (words: string[]): string =>
  words.length === 1 ? String(words[0]) : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`

/** Makes the end of a sentence of a description. */
const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1).replace(/\.$/, '')
