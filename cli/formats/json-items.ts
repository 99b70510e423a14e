import { FormatError } from '../../domain/format-error.ts'

/** Maximum characters of a record. */
export const maxRecordSize = 2 ** 24

/** An element of a JSON array. */
interface JsonItem {
  text: string
  /** The line of its first character, from 1. */
  line: number
}

const mistakes = {
  begin: 'the file must be one JSON array of templates',
  end: 'the file ends before the end of the array',
  comma: 'a comma or the end of the array is missing',
  syntax: 'this is not valid JSON',
  length: `the record is longer than ${maxRecordSize} characters`
}

/**
 * Splits a JSON array into the texts of its items, with only one item in memory at a time. Does not check the
 * contents of items. Throws {@link FormatError}.
 */
export async function* splitItems(pieces: AsyncIterable<string>): AsyncGenerator<JsonItem> {
  const splitter = new ItemSplitter()
  for await (const piece of pieces) {
    yield* splitter.read(piece)
    if (splitter.itemLength > maxRecordSize) splitter.refuse('length')
  }
  if (!splitter.hasEnded) splitter.refuse('end')
}

/** The tokens between items: quotes, brackets, commas, line breaks and words, which may continue in the next piece. */
const betweenItems = /["[\]{},\n]|[^\s"[\]{},]+/g
/** The tokens inside an item that is an array or an object: only its end matters. */
const insideItem = /["[\]{}\n]/g
/**
 * The tokens inside a string: its end, a line break, which is a mistake, or escape sequences. The last escape
 * sequence may continue in the next piece.
 */
const insideString = /["\n]|(?:\\[\s\S]){1,100}|\\$/g

class ItemSplitter {
  hasEnded = false
  #line = 1
  /** Number of open arrays and objects. */
  #depth = 0
  #isInString = false
  /** Characters of the next piece that belong to an escape sequence. */
  #escaped = 0
  /** The item in progress. After a string, an array or an object, its value is complete. */
  #item: (JsonItem & { hasValue: boolean }) | undefined
  #isAfterComma = false

  get itemLength(): number {
    return this.#item?.text.length ?? 0
  }

  /** Yields the items that are complete at the end of a piece. */
  *read(piece: string): Generator<JsonItem> {
    let [start, end] = [0, this.#escaped]
    for (;;) {
      const pattern = this.#isInString ? insideString : this.#depth > 1 ? insideItem : betweenItems
      pattern.lastIndex = end
      const found = end < piece.length ? pattern.exec(piece) : null
      if (!found) break
      const [token] = found
      end = found.index + token.length + (token === '\\' ? 1 : 0)
      const item = this.#item
      this.#take(token)
      if (!item) start = found.index
      else if (!this.#item) yield { text: item.text + piece.slice(start, found.index), line: item.line }
    }
    this.#escaped = Math.max(0, end - piece.length)
    if (this.#item) this.#item.text += piece.slice(start)
  }

  refuse(kind: keyof typeof mistakes): never {
    throw new FormatError(mistakes[kind], { line: this.#line })
  }

  #take(token: string): void {
    if (token === '\n' || this.#isInString) this.#takeText(token)
    else if (this.#depth === 0) this.#begin(token)
    else if (this.#depth === 1 && ',]}'.includes(token)) this.#endItem(token)
    else this.#takeValue(token)
  }

  #takeText(token: string): void {
    if (token === '"') this.#isInString = false
    if (token !== '\n') return
    if (this.#isInString) this.refuse('syntax')
    this.#line++
  }

  #begin(token: string): void {
    if (this.hasEnded || token !== '[') this.refuse('begin')
    this.#depth = 1
  }

  #endItem(token: string): void {
    const isComma = token === ','
    if (token === '}') this.refuse('syntax')
    if (!this.#item && (isComma || this.#isAfterComma)) this.refuse('syntax')
    this.#isAfterComma = isComma
    this.#item = undefined
    if (isComma) return
    this.#depth = 0
    this.hasEnded = true
  }

  #takeValue(token: string): void {
    if (this.#depth === 1) {
      if (this.#item?.hasValue) this.refuse('comma')
      this.#item ??= { text: '', line: this.#line, hasValue: false }
      this.#item.hasValue = '"[{'.includes(token)
    }
    if (token === '"') this.#isInString = true
    if (token === '[' || token === '{') this.#depth++
    if (token === ']' || token === '}') this.#depth--
  }
}
