import { createScanner } from 'jsonc-parser'

/** A piece of a text: a token of JSON, or the white space between two. */
export interface Piece {
  text: string
  /** Where it begins in the whole text, in UTF-16 units. */
  offset: number
  kind: 'space' | 'string' | 'number' | 'word' | 'mark'
}

/** A line as it is shown. `number` is that of the text; a long line continues without one. */
export interface Line {
  number: number | undefined
  pieces: Piece[]
}

/** Characters after which a line goes on in the next one, after a comma. */
const widest = 40

/** Kinds by `SyntaxKind` of jsonc-parser, a const enum, which TypeScript cannot import here. */
const kinds: Record<number, Piece['kind']> = {
  7: 'word',
  8: 'word',
  9: 'word',
  10: 'string',
  11: 'number',
  14: 'space',
  15: 'space'
}
const endOfText = 17

function* scan(text: string): Generator<Piece> {
  const scanner = createScanner(text, false)
  for (let kind = scanner.scan(); kind !== endOfText; kind = scanner.scan()) {
    const [offset, length] = [scanner.getTokenOffset(), scanner.getTokenLength()]
    yield { text: text.slice(offset, offset + length), offset, kind: kinds[kind] ?? 'mark' }
  }
}

/** Splits a text into lines, and these into pieces. All pieces together are the text. */
export function toLines(text: string): Line[] {
  const lines: Line[] = [{ number: 1, pieces: [] }]
  let [number, width, mayBreak] = [1, 0, false]
  const begin = (next: number | undefined) => {
    lines.push({ number: next, pieces: [] })
    width = 0
  }
  for (const piece of scan(text)) {
    const isBreak = piece.kind === 'space' && /[\r\n]/.test(piece.text)
    if (width > widest && mayBreak && !isBreak) begin(undefined)
    lines.at(-1)?.pieces.push(piece)
    width += piece.text.length
    mayBreak = piece.text === ','
    if (isBreak) begin(++number)
  }
  return lines
}

const marks: Record<string, string> = { ' ': '·', '\t': '→', '\n': '↵', '\r': '␍' }

/** White space as marks that can be seen. */
export const visible = (space: string): string => space.replace(/[ \t\r\n]/g, found => marks[found] ?? found)
