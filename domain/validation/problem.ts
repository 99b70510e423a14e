/** The problems that a template can have, and their texts. The explorer uses them too, so they run without Node.js. */

/** The codes of the problems, with their meanings. */
export const problemCodes = {
  REQUIRED: 'a field is missing',
  WRONG_TYPE: 'a field has a value of another type',
  OUT_OF_RANGE: 'a number is too small or too large',
  TOO_SHORT: 'a text is empty',
  TOO_LARGE:
    'a text has more characters (Unicode code points) than allowed, or the document has too many bytes',
  INVALID_TEXT: 'a text has U+0000 or a lone surrogate, which databases cannot store',
  INVALID_JSON: 'the document is not JSON',
  DUPLICATE_KEY: 'a key occurs twice in one object of the document',
  TOO_DEEP: 'the document is nested too deeply',
  SCHEMA: 'the document does not match the JSON Schema',
  MORE_PROBLEMS: 'there are more problems than reported'
} as const

export type ProblemCode = keyof typeof problemCodes

export interface Problem<Code extends string = ProblemCode> {
  code: Code
  /** A sentence. It contains no value of the template. */
  message: string
  /** The field, such as `['maxItems']`. */
  path: string[]
  /** RFC 6901 JSON Pointer into the document; null if the problem is not at one place in it. */
  pointer: string | null
}

/** Maximum number of problems reported for a template. */
export const maxProblems = 100

/** Makes a problem of a field or an argument. */
export const makeProblem = <Code extends string>(code: Code, message: string, ...path: string[]) => ({
  code,
  message,
  path,
  pointer: null
})

/** Collects problems, up to the maximum. */
export class Problems {
  readonly list: Problem[] = []

  get full(): boolean {
    return this.list.length >= maxProblems
  }

  /** Adds a problem of a field, or at a place in the document. */
  add(code: ProblemCode, field: string, message: string, pointer: string | null = null): void {
    if (!this.full) this.list.push({ ...makeProblem(code, message, field), pointer })
    if (this.full)
      this.list[maxProblems - 1] = makeProblem(
        'MORE_PROBLEMS',
        `there are more problems; the first ${maxProblems - 1} are reported`
      )
  }
}

/** Characters. A longer pointer is cut: it then points to an outer value. */
const longestPointer = 200

/** Makes a JSON Pointer, RFC 6901 §3. A key may be as long as the document. */
export function toPointer(steps: (string | number)[]): string {
  let pointer = ''
  for (const step of steps) {
    const longer = `${pointer}/${String(step).slice(0, longestPointer).replaceAll('~', '~0').replaceAll('/', '~1')}`
    if (longer.length > longestPointer) break
    pointer = longer
  }
  return pointer
}

/** Returns the steps of a JSON Pointer; none for the whole document. */
export const readPointer = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map(step => step.replaceAll('~1', '/').replaceAll('~0', '~'))

/** Converts `/attributes/3/value` to `attributes[3].value`. */
export const describePlace = (pointer: string): string =>
  pointer
    .slice(1)
    .replace(/\/(\d+)/g, '[$1]')
    .replaceAll('/', '.')

export type SchemaNode = Record<string, unknown>

/**
 * Makes the end of a sentence about a value that a keyword of a node refuses; undefined for a keyword that the schema
 * of documents does not use. `types` has the words for the types of JSON.
 */
export function describeKeyword(
  keyword: string,
  node: SchemaNode,
  types: Record<string, string>
): string | undefined {
  const describe: Record<string, () => string> = {
    type: () => `must be ${joinWithOr([node.type].flat().map(type => types[String(type)] ?? String(type)))}`,
    required: () => `has no ${joinWithOr(node.required as string[])}`,
    enum: () => `must be ${joinWithOr((node.enum as unknown[]).map(String))}`,
    minLength: () => 'must not be empty',
    minimum: () => `must be at least ${node.minimum}`,
    maximum: () => `must be at most ${node.maximum}`,
    pattern: () => `must be ${lowerFirst(String(node.description ?? ''))}`
  }
  return describe[keyword]?.()
}

const joinWithOr = (words: string[]): string =>
  words.length === 1 ? String(words[0]) : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`

/** Makes the end of a sentence from a description. */
const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1).replace(/\.$/, '')
