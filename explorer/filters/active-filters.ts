import { maxInt } from '../../domain/columns.ts'
import { chainName, formatCount, formatText, humanName, kindOf, number } from '../format.ts'
import type { Criteria, DateChoice, NumberChoice, TraitChoice } from '../gallery/criteria.ts'
import { formatCents, isPrice } from '../price.ts'

/** An active filter, and the criteria without it. */
interface ActiveFilter {
  label: string
  without: Criteria
}

/** Lists the active filters with their labels. */
export function listActiveFilters(criteria: Criteria): ActiveFilter[] {
  const { search, components, chains, traits, numbers, dates, items } = criteria
  const others = <T>(list: T[], one: T) => list.filter(each => each !== one)
  return [
    ...(search.trim() === '' ? [] : [{ label: `“${search.trim()}”`, without: { ...criteria, search: '' } }]),
    ...components.map(one => ({
      label: kindOf(one),
      without: { ...criteria, components: others(components, one) }
    })),
    ...chains.map(one => ({ label: chainName(one), without: { ...criteria, chains: others(chains, one) } })),
    ...(criteria.public === undefined
      ? []
      : [{ label: criteria.public ? 'Public' : 'Not public', without: { ...criteria, public: undefined } }]),
    ...(items
      ? [{ label: `Max items: ${formatItems(items)}`, without: { ...criteria, items: undefined } }]
      : []),
    ...traits.map(one => ({
      label: formatTrait(one),
      without: { ...criteria, traits: others(traits, one) }
    })),
    ...numbers.map(one => ({
      label: `${humanName(one.type)}: ${formatNumbers(one, isPrice(one.type) ? formatCents : undefined)}`,
      without: { ...criteria, numbers: others(numbers, one) }
    })),
    ...dates.map(one => ({
      label: `${humanName(one.type)}: ${formatDates(one)}`,
      without: { ...criteria, dates: others(dates, one) }
    }))
  ]
}

export function formatItems([least, greatest]: [number, number]): string {
  if (least === greatest) return formatCount(least)
  if (least === 0) return `at most ${formatCount(greatest)}`
  return greatest === maxInt
    ? `${formatCount(least)} or more`
    : `${formatCount(least)} to ${formatCount(greatest)}`
}

export function formatNumbers(
  { from, to, isBelow }: Omit<NumberChoice, 'type'>,
  format: (number: number) => string = number
): string {
  const below = isBelow ? 'below ' : ''
  if (from === undefined) return `${below || 'at most '}${format(to ?? 0)}`
  if (from === to) return format(from)
  return to === undefined ? `${format(from)} or more` : `${format(from)} to ${below}${format(to)}`
}

function formatDates({ from, to }: DateChoice): string {
  if (from === undefined) return `until ${formatText(to ?? '')}`
  if (from === to) return formatText(from)
  return to === undefined ? `${formatText(from)} or later` : `${formatText(from)} to ${formatText(to)}`
}

const formatTrait = ({ type, value }: TraitChoice): string => {
  const text = value === null ? 'no value' : value === '' ? 'empty text' : formatText(String(value))
  return `${humanName(type)}: ${text.length > 40 ? `${text.slice(0, 40)}…` : text}`
}
