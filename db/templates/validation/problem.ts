/** The problems that a template can have. */
export const problemCodes = {
  REQUIRED: 'a field is missing',
  WRONG_TYPE: 'a field has a value of another type',
  OUT_OF_RANGE: 'a number is too small or too large',
  TOO_SHORT: 'a text is empty',
  TOO_LARGE: 'a text is too long, or the document has too many bytes',
  INVALID_TEXT: 'a text has U+0000 or a lone surrogate, which databases cannot store',
  INVALID_JSON: 'the document is not JSON',
  DUPLICATE_KEY: 'a key occurs twice in one object of the document',
  TOO_DEEP: 'the document is nested too deeply',
  SCHEMA: 'the document does not match the JSON Schema',
  MORE_PROBLEMS: 'there are more problems than are reported'
} as const

export type ProblemCode = keyof typeof problemCodes

export interface Problem {
  code: ProblemCode
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
