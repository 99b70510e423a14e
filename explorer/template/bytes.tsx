import './bytes.css'
import { type Line, type Piece, visible } from './bytes.ts'

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
    <div class="bytes" tabIndex={0} onClick={pick}>
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
