import { type Problems, toPointer } from './problem.ts'

/** Maximum depth of arrays and objects in a document. */
export const maxDepth = 100

const space = /[ \t\n\r]*/y
/** A token, or the beginning of a string. */
const token = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null|[[\]{},:"]/y
/** Characters of a string, without quotes, backslashes and control characters. */
const plainText = /[ !#-[\]-\uffff]*/y
const escaped = /(?:\\(?:["\\/bfnrt]|u[\da-fA-F]{4})){1,100}/y

/** What may come next. `first …` also allows the end of the array or object. */
type Expected = 'value' | 'first value' | 'key' | 'first key' | 'colon' | 'next' | 'end'

/** An array or object that is not closed yet. */
interface Open {
  closing: ']' | '}'
  /** The current key or index. */
  step: string | number
  /** The keys of an object so far. */
  keys: Set<string>
}

/**
 * Reads a JSON text for what JSON.parse does not report: the place of a mistake, keys that occur twice and the depth.
 * Returns whether the text can be parsed and validated.
 */
export function checkJson(text: string, problems: Problems): boolean {
  const scan = new Scan(text, problems)
  while (scan.expected !== 'end') if (!scan.readToken()) return false
  return scan.isAtEnd() || scan.refuse()
}

class Scan {
  position = 0
  expected: Expected = 'value'
  readonly #text: string
  readonly #problems: Problems
  readonly #open: Open[] = []

  constructor(text: string, problems: Problems) {
    this.#text = text
    this.#problems = problems
  }

  /** Returns false if the text cannot be read further. */
  readToken(): boolean {
    const start = skip(space, this.#text, this.position)
    const end = this.#findEnd(start)
    if (end === undefined) return this.refuse(start)
    const read = this.#text.slice(start, end)
    this.position = end
    const current = this.#open.at(-1)
    if (current && read === current.closing && /^(first|next)/.test(this.expected)) return this.#close()
    if (/value$/.test(this.expected)) return this.#readValue(read, start)
    if (/key$/.test(this.expected) && read[0] === '"') return this.#readKey(read, current as Open)
    if (this.expected === 'colon' && read === ':') return this.#expect('value')
    if (this.expected === 'next' && read === ',') return this.#readComma(current as Open)
    return this.refuse(start)
  }

  /** Whether nothing follows the value. */
  isAtEnd(): boolean {
    this.position = skip(space, this.#text, this.position)
    return this.position === this.#text.length
  }

  /** Reports invalid JSON at a position. */
  refuse(position = this.position): false {
    const lines = this.#text.slice(0, position).split('\n')
    const place = `line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}`
    this.#problems.add('INVALID_JSON', 'data', `data is not valid JSON: see ${place}`)
    return false
  }

  /** Returns the end of the token at a position; undefined if there is none. */
  #findEnd(start: number): number | undefined {
    const end = skip(token, this.#text, start)
    if (end === start) return undefined
    return this.#text[start] === '"' ? findStringEnd(this.#text, start) : end
  }

  #readValue(read: string, start: number): boolean {
    if (read === '[') return this.#openValue({ closing: ']', step: 0, keys: noKeys }, 'first value')
    if (read === '{') return this.#openValue({ closing: '}', step: '', keys: new Set() }, 'first key')
    if (/^[\]},:]/.test(read)) return this.refuse(start)
    return this.#endValue()
  }

  #openValue(value: Open, expected: Expected): boolean {
    if (this.#open.length === maxDepth) {
      this.#problems.addAt('TOO_DEEP', this.#pointer(), `data has more than ${maxDepth} levels`)
      return false
    }
    this.#open.push(value)
    return this.#expect(expected)
  }

  #close(): boolean {
    this.#open.pop()
    return this.#endValue()
  }

  #endValue = (): boolean => this.#expect(this.#open.length === 0 ? 'end' : 'next')

  #readKey(read: string, object: Open): boolean {
    const key: string = JSON.parse(read)
    object.step = key
    if (object.keys.has(key))
      this.#problems.addAt('DUPLICATE_KEY', this.#pointer(), 'a key occurs twice in the same object')
    object.keys.add(key)
    return this.#expect('colon')
  }

  #readComma(current: Open): boolean {
    if (typeof current.step === 'string') return this.#expect('key')
    current.step++
    return this.#expect('value')
  }

  #expect(expected: Expected): true {
    this.expected = expected
    return true
  }

  #pointer = (): string => toPointer(this.#open.map(({ step }) => step))
}

const noKeys = new Set<string>()

/** Returns the end of the string that begins with the quote at a position; undefined if it is not valid JSON. */
export function findStringEnd(text: string, quote: number): number | undefined {
  // Not one pattern: for each repetition it would need room on the stack.
  for (let end = quote + 1; ; ) {
    end = skip(plainText, text, end)
    if (text[end] === '"') return end + 1
    const next = skip(escaped, text, end)
    if (next === end) return undefined
    end = next
  }
}

/** Returns the end of what matches a sticky pattern at a position; the position itself if nothing does. */
function skip(pattern: RegExp, text: string, position: number): number {
  pattern.lastIndex = position
  return pattern.test(text) ? pattern.lastIndex : position
}
