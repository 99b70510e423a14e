import { createScanner } from 'jsonc-parser'
import './data.css'

/** A range of offsets; `to` is exclusive. */
export type Span = [from: number, to: number]

interface Props {
  lines: Line[]
  marked?: Span | undefined
  onPick?: (offset: number) => void
}

const classes = { space: 'space', string: 'string', number: 'number-value', word: 'word', mark: '' }

/** A text as it is stored, with the white space that JSON ignores. */
export function Bytes({ lines, marked, onPick }: Props) {
  const pick = (event: MouseEvent) => {
    const { offset } = (event.target as HTMLElement).dataset
    if (offset !== undefined) onPick?.(Number(offset))
  }
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree beside it does the same by keyboard
    // biome-ignore lint/a11y/noStaticElementInteractions: as above
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls
    <div class="bytes mono scrolls" tabIndex={0} onClick={pick}>
      {lines.map(({ number, pieces }, at) => (
        <div key={at} class="line">
          <span class="number">{number}</span>
          <span class="text">
            {pieces.map(piece => (
              <PieceText key={piece.offset} piece={piece} isMarked={isWithin(piece, marked)} />
            ))}
          </span>
        </div>
      ))}
    </div>
  )
}

function PieceText({ piece, isMarked }: { piece: Piece; isMarked: boolean }) {
  const { text, offset, kind } = piece
  return (
    <span class={`${classes[kind]} ${isMarked ? 'marked' : ''}`} data-offset={offset}>
      {kind === 'space' ? visible(text) : text}
    </span>
  )
}

const isWithin = ({ offset }: Piece, span: Span | undefined): boolean =>
  span !== undefined && offset >= span[0] && offset < span[1]

/** A piece of a text: a JSON token or white space. */
interface Piece {
  text: string
  /** The start in the whole text, in UTF-16 code units. */
  offset: number
  kind: 'space' | 'string' | 'number' | 'word' | 'mark'
}

/** A displayed line. `number` is the line in the text; undefined for the continuation of a long line. */
interface Line {
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
