/** What a card says below the name: the traits that tell most, or those that the user has chosen. */
import { listTellingColumns, telling } from '../filters/telling.ts'
import { chainName, formatCount, formatShortCount, formatText, humanName, kindOf } from '../format.ts'
import { formatPrice, isPrice } from '../price.ts'
import { createSetting } from '../storage.ts'
import type { Item } from './items.ts'

/** The keys of the chosen facts, as of the columns of the table; undefined before the first choice. */
export const chosenFacts = createSetting<string[] | undefined>('facts of cards', undefined)

/** The fields of a template that a card may show, by their keys. */
export const fieldFacts: Record<string, { label: string; read: (item: Item) => string }> = {
  productId: { label: 'Product id', read: ({ document }) => String(document?.productId ?? '') },
  component: { label: 'Component', read: ({ componentName }) => kindOf(componentName) },
  chain: { label: 'Blockchain', read: ({ blockchainId }) => chainName(blockchainId) },
  supply: { label: 'Max items', read: ({ maxItems }) => `×${formatShortCount(maxItems)}` }
}

export const listShownFacts = (): string[] => chosenFacts.value ?? listTellingColumns(telling.value)

/** Whether cards have a line for the price and the key. */
export const hasSecondLine = (): boolean => listShownFacts().some(isSecond)

const isSecond = (key: string): boolean => key === toKey(telling.value.price) || isKey(key)
const isKey = (key: string): boolean => key === toKey(telling.value.key) || key === 'productId'
const toKey = (type: string | undefined) => type && `trait.${type}`

/** The facts of a card: some in a line, below them the key and the price. A template may lack any of them. */
export function readFacts(item: Item): { line: string; key: string; price: string } {
  const facts = listShownFacts().map(key => ({ key, text: readFact(item, key) }))
  const join = (isWanted: (key: string) => boolean) =>
    facts
      .filter(({ key, text }) => text !== '' && isWanted(key))
      .map(({ text }) => text)
      .join(' · ')
  return {
    line: join(key => !isSecond(key)),
    key: join(isKey),
    price: join(key => isSecond(key) && !isKey(key))
  }
}

function readFact(item: Item, key: string): string {
  const field = fieldFacts[key]
  if (field) return field.read(item)
  const type = key.replace(/^trait\./, '')
  const trait = item.document?.attributes.find(({ traitType }) => traitType === type)
  if (!trait) return ''
  if (isPrice(type)) return formatPrice(trait)
  const text = trait.valueType === 'INTEGER' ? formatCount(Number(trait.text)) : formatText(trait.text)
  // A number alone does not say what it is, unlike `42 cm`.
  return /^-?[\d.]+$/.test(trait.text) && !isKey(key) ? `${humanName(type)} ${text}` : text
}
