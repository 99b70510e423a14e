/** The texts of problems with documents, for the service and the explorer. They run without Node.js. */

/** Converts `/attributes/3/value` to `attributes[3].value`. */
export const describePlace = (pointer: string): string =>
  pointer
    .slice(1)
    .replace(/\/(\d+)/g, '[$1]')
    .replaceAll('/', '.')

/** A node of the JSON Schema. */
export type Rule = Record<string, unknown>

/**
 * Makes the end of a sentence about what a keyword of a node requires; undefined for a keyword that the schema of documents
 * does not use. `types` has the words for the types of JSON.
 */
export function describeRule(keyword: string, rule: Rule, types: Record<string, string>): string | undefined {
  const describe: Record<string, () => string> = {
    type: () => `must be ${joinWithOr([rule.type].flat().map(type => types[String(type)] ?? String(type)))}`,
    required: () => `has no ${joinWithOr(rule.required as string[])}`,
    enum: () => `must be ${joinWithOr((rule.enum as unknown[]).map(String))}`,
    minLength: () => 'must not be empty',
    minimum: () => `must be at least ${rule.minimum}`,
    maximum: () => `must be at most ${rule.maximum}`,
    pattern: () => `must be ${lowerFirst(String(rule.description ?? ''))}`
  }
  return describe[keyword]?.()
}

const joinWithOr = (words: string[]): string =>
  words.length === 1 ? String(words[0]) : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`

/** Makes the end of a sentence from a description. */
const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1).replace(/\.$/, '')
