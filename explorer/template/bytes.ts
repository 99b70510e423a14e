import { createScanner } from 'jsonc-parser'

/** A piece of a text: a JSON token or white space. */
export interface Piece {
  text: string
  /** The start in the whole text, in UTF-16 code units. */
  offset: number
  kind: 'space' | 'string' | 'number' | 'word' | 'mark'
}

/** A displayed line. `number` is the line in the text; undefined for the continuation of a long line. */
export interface Line {
  number: number | undefined
  pieces: Piece[]
}

/** A line with more characters than this continues on the next line after a comma. */
const widest = 40

/** Kinds by `SyntaxKind` of jsonc-parser. It is a const enum, which TypeScript cannot import here. */
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

/** Splits a text into lines of pieces. The pieces joined are the text. */
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

/** Replaces white space with visible marks. */
export const visible = (space: string): string => space.replace(/[ \t\r\n]/g, found => marks[found] ?? found)
