import { maxInt } from '../../domain/columns.ts'
import { formatCount, number, plural } from '../format.ts'
import type { NumberChoice } from '../gallery/criteria.ts'
import { formatItems, formatNumbers } from './active-filters.ts'
import { RangeFields } from './range.tsx'

export type NumberRange = Omit<NumberChoice, 'type'>

interface ItemsProps {
  counts: { range: [number, number]; count: number }[]
  chosen: [number, number] | undefined
  onChoose: (items: [number, number] | undefined) => void
}

/** The distribution of `maxItems`; each bar covers ten times the range of the bar before. */
export function ItemsHistogram({ counts, chosen, onChoose }: ItemsProps) {
  const bars = counts.map(({ range, count }) => ({
    count,
    label: `${formatItems(range)} items`,
    isWithin: chosen !== undefined && range[0] <= chosen[1] && range[1] >= chosen[0],
    isChosen: chosen?.join() === range.join(),
    choose: () => onChoose(chosen?.join() === range.join() ? undefined : range)
  }))
  const choose = (from = 0, to = maxInt) => {
    const [low, high] = [Math.min(from, to), Math.max(from, to)]
    onChoose(low === 0 && high === maxInt ? undefined : [low, high])
  }
  const [least, greatest] = chosen ?? [0, maxInt]
  return (
    <>
      <Bars bars={bars} least="1" greatest={formatItems([100_000, maxInt])} />
      <RangeFields
        label="Max items"
        from={least === 0 ? undefined : least}
        to={greatest === maxInt ? undefined : greatest}
        check={checkItems}
        onChoose={choose}
      />
    </>
  )
}

const checkItems = (items: number): string | undefined =>
  Number.isInteger(items) && items >= 0 && items <= maxInt
    ? undefined
    : `must be a whole number from 0 to ${formatCount(maxInt)}`

interface NumbersProps {
  label: string
  counts: { from: number; to: number; count: number }[]
  chosen: NumberRange | undefined
  format: ((number: number) => string) | undefined
  onChoose: (range: NumberRange | undefined) => void
}

/** The distribution of the numbers of a trait. */
export function NumbersHistogram({ label, counts, chosen, format = number, onChoose }: NumbersProps) {
  const bars = counts.map(({ from, to, count }, at) => {
    const range = { from, to, isBelow: at < counts.length - 1 }
    const isChosen = chosen?.from === from && chosen.to === to
    return {
      count,
      label: formatNumbers(range, format),
      isWithin: chosen !== undefined && from <= (chosen.to ?? to) && to >= (chosen.from ?? from),
      isChosen,
      choose: () => onChoose(isChosen ? undefined : range)
    }
  })
  const choose = (from: number | undefined, to: number | undefined) =>
    onChoose(from === undefined && to === undefined ? undefined : { from, to, isBelow: false })
  return (
    <>
      <Bars bars={bars} least={format(counts[0]?.from ?? 0)} greatest={format(counts.at(-1)?.to ?? 0)} />
      <RangeFields label={label} from={chosen?.from} to={chosen?.to} onChoose={choose} />
    </>
  )
}

interface Bar {
  count: number
  label: string
  /** Whether the bar overlaps with the chosen range. */
  isWithin: boolean
  isChosen: boolean
  /** Filters by the range of the bar, or removes the filter. */
  choose: () => void
}

/** Bars, with the least and the greatest number below them. */
function Bars({ bars, least, greatest }: { bars: Bar[]; least: string; greatest: string }) {
  const most = Math.max(1, ...bars.map(({ count }) => count))
  return (
    <>
      <div class="histogram">
        {bars.map(({ count, label, isWithin, isChosen, choose }) => (
          <button
            key={label}
            type="button"
            class={isWithin ? 'within' : ''}
            aria-pressed={isChosen}
            aria-label={`${label}: ${plural(count, 'template')}`}
            title={`${label}: ${plural(count, 'template')}`}
            onClick={choose}
          >
            <span style={{ height: `${Math.max(3, (count / most) * 100)}%` }} />
          </button>
        ))}
      </div>
      {/* Each bar says its own range. */}
      <div class="ends" aria-hidden="true">
        <span>{least}</span>
        <span>{greatest}</span>
      </div>
    </>
  )
}
