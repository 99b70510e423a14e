import { count as format, plural } from '../words.ts'
import { formatItems } from './chosen.ts'
import { RangeFields } from './range.tsx'

interface Props {
  counts: { range: [number, number]; count: number }[]
  chosen: [number, number] | undefined
  onChoose: (items: [number, number] | undefined) => void
}

/** How many templates have how many items, each step ten times the one before. A click wants one step, or no longer; any
 * other range is typed. */
export function Histogram({ counts, chosen, onChoose }: Props) {
  const most = Math.max(1, ...counts.map(({ count }) => count))
  const isWithin = ([least, greatest]: [number, number]) =>
    chosen !== undefined && least <= chosen[1] && greatest >= chosen[0]
  return (
    <>
      <div class="histogram">
        {counts.map(({ range, count }) => {
          const isChosen = chosen?.join() === range.join()
          const label = `${formatItems(range)} items: ${plural(count, 'template')}`
          return (
            <button
              key={range.join()}
              type="button"
              class={isWithin(range) ? 'within' : ''}
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
      <RangeFields chosen={chosen} onChoose={onChoose} />
    </>
  )
}
