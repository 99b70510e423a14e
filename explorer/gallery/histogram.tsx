import { count as format, plural } from '../words.ts'
import { formatItems } from './chosen.ts'

interface Props {
  counts: { range: [number, number]; count: number }[]
  chosen: [number, number] | undefined
  onChoose: (items: [number, number] | undefined) => void
}

/** How many templates have how many items, each step ten times the one before. A click wants one step, or no longer. */
export function Histogram({ counts, chosen, onChoose }: Props) {
  const most = Math.max(1, ...counts.map(({ count }) => count))
  return (
    <div class="histogram">
      {counts.map(({ range, count }) => {
        const isChosen = chosen?.join() === range.join()
        const label = `${formatItems(range)} items: ${plural(count, 'template')}`
        return (
          <button
            key={range.join()}
            type="button"
            aria-pressed={isChosen}
            aria-label={label}
            title={`${formatItems(range)} items: ${format(count)}`}
            onClick={() => onChoose(isChosen ? undefined : range)}
          >
            <span style={{ height: `${Math.max(3, (count / most) * 100)}%` }} />
          </button>
        )
      })}
    </div>
  )
}
