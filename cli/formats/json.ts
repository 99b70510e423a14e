import { Tokenizer, TokenType } from '@streamparser/json'
import type { ImportRecord } from '../../db/templates/import/import.ts'
import { type Format, type LineOf, maxRecordSize, Unreadable } from './format.ts'
import { parseRecord } from './record-text.ts'

/** One JSON array of objects. */
export const json: Format = {
  async *read(input) {
    const reader = new ArrayReader()
    for await (const bytes of withoutMark(input)) yield* reader.read(bytes)
    reader.end()
  },

  async *write(pages) {
    let separator = '[\n'
    for await (const templates of pages()) {
      yield separator + templates.map(template => JSON.stringify(template)).join(',\n')
      separator = ',\n'
    }
    yield separator === '[\n' ? '[]\n' : '\n]\n'
  }
}

/** Leaves out a byte order mark, which the offsets of the tokenizer would not count. */
async function* withoutMark(input: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let begin: Uint8Array | undefined = new Uint8Array()
  for await (const bytes of input) {
    if (begin) begin = Buffer.concat([begin, bytes])
    if (begin && begin.length < 3) continue
    const isMark = begin && Buffer.from(begin.subarray(0, 3)).toString() === '\uFEFF'
    yield begin?.subarray(isMark ? 3 : 0) ?? bytes
    begin = undefined
  }
  if (begin) yield begin
}

/** What may come next; `begin` and `end` are outside of the array. */
type Expected = 'begin' | 'first' | 'value' | 'comma' | 'end'

const opening: TokenType[] = [TokenType.LEFT_BRACE, TokenType.LEFT_BRACKET]
const closing: TokenType[] = [TokenType.RIGHT_BRACE, TokenType.RIGHT_BRACKET]

/** Finds the records of an array in its bytes. The text of each is parsed by itself, so memory is bounded. */
class ArrayReader {
  readonly #tokenizer = new Tokenizer()
  readonly #decoder = new TextDecoder('utf-8', { fatal: true })
  readonly #found: ImportRecord<LineOf>[] = []
  #expected: Expected = 'begin'
  #depth = 0
  /** The bytes that are still needed, and their offset in the file. */
  #bytes: Uint8Array = new Uint8Array()
  #offset = 0
  /** The record in progress: the offset of its first byte, and its line. */
  #record: { start: number; line: number } | undefined
  /** The line at an offset. */
  #counted = { offset: 0, line: 1 }

  constructor() {
    this.#tokenizer.onToken = ({ token, value, offset }) => this.#take(token, value, offset)
    this.#tokenizer.onError = error => {
      throw error
    }
  }

  /** Returns the records that end in these bytes. */
  read(bytes: Uint8Array): ImportRecord<LineOf>[] {
    this.#bytes = this.#bytes.length > 0 ? Buffer.concat([this.#bytes, bytes]) : bytes
    try {
      this.#tokenizer.write(bytes)
    } catch (error) {
      if (error instanceof Unreadable) throw error
      const position = /absolute position "(\d+)"/.exec((error as Error).message)?.[1]
      throw new Unreadable('this is not valid JSON', { line: this.#lineAt(Number(position ?? 0)) })
    }
    const needed = this.#record?.start ?? this.#offset + this.#bytes.length
    this.#lineAt(needed)
    this.#bytes = this.#bytes.subarray(needed - this.#offset)
    this.#offset = needed
    if (this.#bytes.length > maxRecordSize)
      throw new Unreadable(`the record is longer than ${maxRecordSize} bytes`, this.#counted)
    return this.#found.splice(0)
  }

  end(): void {
    const { line } = this.#counted
    if (this.#expected !== 'end') throw new Unreadable('the file ends before its array does', { line })
  }

  #take(token: TokenType, value: unknown, offset: number): void {
    if (this.#depth > 1) {
      if (opening.includes(token)) this.#depth++
      if (closing.includes(token) && --this.#depth === 1) this.#finish(offset + 1)
    } else if (this.#depth === 0) {
      if (this.#expected !== 'begin' || token !== TokenType.LEFT_BRACKET)
        this.#refuse('the file must be one JSON array of templates', offset)
      this.#depth = 1
      this.#expected = 'first'
    } else this.#takeInArray(token, value, offset)
  }

  #takeInArray(token: TokenType, value: unknown, offset: number): void {
    const expected = this.#expected
    if (token === TokenType.RIGHT_BRACKET && expected !== 'value') {
      this.#expected = 'end'
      this.#depth = 0
    } else if (token === TokenType.COMMA && expected === 'comma') this.#expected = 'value'
    else if (expected === 'comma') this.#refuse('a comma or the end of the array is missing', offset)
    else if (closing.includes(token) || token === TokenType.COMMA || token === TokenType.COLON)
      this.#refuse('this is not valid JSON', offset)
    else {
      const line = this.#lineAt(offset)
      this.#expected = 'comma'
      if (opening.includes(token)) {
        this.#record = { start: offset, line }
        this.#depth = 2
      } else this.#found.push({ values: value, place: { line } })
    }
  }

  /** Parses the record that ends before an offset. */
  #finish(end: number): void {
    const { start = 0, line = 1 } = this.#record ?? {}
    const bytes = this.#bytes.subarray(start - this.#offset, end - this.#offset)
    this.#record = undefined
    try {
      this.#found.push(parseRecord(this.#decoder.decode(bytes), line))
    } catch {
      throw new Unreadable('the record is not in UTF-8', { line })
    }
  }

  #refuse(message: string, offset: number): never {
    throw new Unreadable(message, { line: this.#lineAt(offset) })
  }

  /** Returns the line of an offset, which is not before the last one asked for. */
  #lineAt(offset: number): number {
    const counted = this.#counted
    const bytes = this.#bytes.subarray(counted.offset - this.#offset, offset - this.#offset)
    for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) counted.line++
    counted.offset = Math.max(offset, counted.offset)
    return counted.line
  }
}
