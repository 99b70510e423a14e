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
  for await (const piece of pieces) yield* splitter.read(piece)
  if (!splitter.hasEnded) splitter.refuse('end')
}

/** Reads an array character by character. */
class ItemSplitter {
  hasEnded = false
  #line = 1
  /** Number of open arrays and objects. */
  #depth = 0
  #isInString = false
  #isEscaped = false
  /** The item in progress. After a string, an array or an object, its value is complete. */
  #item: (JsonItem & { hasValue: boolean }) | undefined
  #isAfterComma = false

  refuse(kind: keyof typeof mistakes): never {
    throw new FormatError(mistakes[kind], { line: this.#line })
  }

  /** Yields the items that are complete at the end of a piece. */
  *read(piece: string): Generator<JsonItem> {
    let start = 0
    for (let index = 0; index < piece.length; index++) {
      const item = this.#item
      this.#take(piece.charAt(index))
      if (!item) start = index
      else if (!this.#item) yield { text: item.text + piece.slice(start, index), line: item.line }
    }
    if (!this.#item) return
    this.#item.text += piece.slice(start)
    if (this.#item.text.length > maxRecordSize) this.refuse('length')
  }

  #take(character: string): void {
    if (this.#isInString) this.#takeText(character)
    else if (character === '\n') this.#line++
    else if (/\s/.test(character)) return
    else if (this.#depth === 0) this.#begin(character)
    else if (this.#depth === 1 && ',]}'.includes(character)) this.#endItem(character)
    else this.#takeValue(character)
  }

  #takeText(character: string): void {
    if (this.#isEscaped) this.#isEscaped = false
    else if (character === '\\') this.#isEscaped = true
    else if (character === '"') this.#isInString = false
    else if (character === '\n') this.refuse('syntax')
  }

  #begin(character: string): void {
    if (this.hasEnded || character !== '[') this.refuse('begin')
    this.#depth = 1
  }

  #endItem(character: string): void {
    const isComma = character === ','
    if (character === '}') this.refuse('syntax')
    if (!this.#item && (isComma || this.#isAfterComma)) this.refuse('syntax')
    this.#isAfterComma = isComma
    this.#item = undefined
    if (isComma) return
    this.#depth = 0
    this.hasEnded = true
  }

  #takeValue(character: string): void {
    if (this.#depth === 1) {
      if (this.#item?.hasValue) this.refuse('comma')
      this.#item ??= { text: '', line: this.#line, hasValue: false }
      this.#item.hasValue = '"[{'.includes(character)
    }
    if (character === '"') this.#isInString = true
    if (character === '[' || character === '{') this.#depth++
    if (character === ']' || character === '}') this.#depth--
  }
}
