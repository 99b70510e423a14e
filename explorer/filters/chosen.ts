import { maxItems, type NumberChoice, type TraitChoice, type Wanted } from '../gallery/wanted.ts'
import { chainName, count, humanName, kindOf, number } from '../words.ts'

/** An active filter, and the criteria without it. */
export interface Chosen {
  label: string
  without: Wanted
}

/** Lists the active filters with their labels. */
export function listChosen(wanted: Wanted): Chosen[] {
  const { search, components, chains, traits, numbers, items } = wanted
  const others = <T>(list: T[], one: T) => list.filter(each => each !== one)
  return [
    ...(search.trim() === '' ? [] : [{ label: `“${search.trim()}”`, without: { ...wanted, search: '' } }]),
    ...components.map(one => ({
      label: kindOf(one),
      without: { ...wanted, components: others(components, one) }
    })),
    ...chains.map(one => ({ label: chainName(one), without: { ...wanted, chains: others(chains, one) } })),
    ...(wanted.public === undefined
      ? []
      : [{ label: wanted.public ? 'Public' : 'Not public', without: { ...wanted, public: undefined } }]),
    ...(items
      ? [{ label: `Max items: ${formatItems(items)}`, without: { ...wanted, items: undefined } }]
      : []),
    ...traits.map(one => ({ label: formatTrait(one), without: { ...wanted, traits: others(traits, one) } })),
    ...numbers.map(one => ({
      label: `${humanName(one.type)}: ${formatNumbers(one)}`,
      without: { ...wanted, numbers: others(numbers, one) }
    }))
  ]
}

export function formatItems([least, greatest]: [number, number]): string {
  if (least === greatest) return count(least)
  if (least === 0) return `at most ${count(greatest)}`
  return greatest === maxItems ? `${count(least)} or more` : `${count(least)} to ${count(greatest)}`
}

export function formatNumbers({ from, to, isBelow }: Omit<NumberChoice, 'type'>): string {
  const upper = to === undefined ? '' : `${isBelow ? 'below' : 'to'} ${number(to)}`
  if (from === undefined) return isBelow ? upper : `at most ${number(to ?? 0)}`
  if (from === to) return number(from)
  return to === undefined ? `${number(from)} or more` : `${number(from)} ${upper}`
}

const formatTrait = ({ type, value }: TraitChoice): string => {
  const text = value === null ? 'no value' : value === '' ? 'empty text' : String(value)
  return `${humanName(type)}: ${text.length > 40 ? `${text.slice(0, 40)}…` : text}`
}
