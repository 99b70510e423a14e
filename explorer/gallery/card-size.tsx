import { Segments } from '../parts/segments.tsx'
import { createSetting } from '../storage.ts'

export type CardSize = 'large' | 'small'

export const cardSize = createSetting<CardSize>('card size', 'large')

export function CardSizeSwitch() {
  return (
    <Segments
      label="Size of the cards"
      chosen={cardSize.value}
      choices={[
        { value: 'large', label: 'Large cards', content: <Squares inARow={2} /> },
        { value: 'small', label: 'Small cards', content: <Squares inARow={3} /> }
      ]}
      onChoose={size => {
        cardSize.value = size
      }}
    />
  )
}

const extent = 16

/** An icon of cards. */
function Squares({ inARow }: { inARow: number }) {
  const gap = 2
  const size = (extent - gap * (inARow - 1)) / inARow
  const places = Array.from({ length: inARow }, (_, at) => at * (size + gap))
  return (
    <svg width={extent} height={extent} fill="currentColor" aria-hidden="true">
      {places.flatMap(x =>
        places.map(y => <rect key={`${x} ${y}`} x={x} y={y} width={size} height={size} rx="1" />)
      )}
    </svg>
  )
}
