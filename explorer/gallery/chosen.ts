import { chainName, count, humanName, kindOf } from '../words.ts'
import { maxItems, type TraitChoice, type Wanted } from './wanted.ts'

/** A filter that is active, and what is wanted without it. */
export interface Chosen {
  label: string
  without: Wanted
}

/** Lists the active filters, in words. */
export function listChosen(wanted: Wanted): Chosen[] {
  const { search, components, chains, traits, items } = wanted
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
    ...traits.map(one => ({ label: formatTrait(one), without: { ...wanted, traits: others(traits, one) } }))
  ]
}

export function formatItems([least, greatest]: [number, number]): string {
  if (least === greatest) return count(least)
  if (least === 0) return `at most ${count(greatest)}`
  return greatest === maxItems ? `${count(least)} or more` : `${count(least)} to ${count(greatest)}`
}

const formatTrait = ({ type, value }: TraitChoice): string => {
  const text = value === null ? 'no value' : value === '' ? 'empty text' : String(value)
  return `${humanName(type)}: ${text.length > 40 ? `${text.slice(0, 40)}…` : text}`
}
