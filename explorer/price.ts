/** Prices as people write them: with cents and a currency. */
import { isAmount, isPriceName, telling } from './filters/telling.ts'
import { formatCount, formatDecimal, formatText } from './format.ts'
import type { Trait } from './template/read.ts'

type PriceTrait = Pick<Trait, 'traitType' | 'text'>

/** Whether a trait is the price of the templates. */
export const isPrice = (type: string): boolean => type === telling.value.price

/** Whether a trait of one template is a price: that of the templates, or another one by its name and amount. */
export const mayBePrice = ({ traitType, text }: PriceTrait): boolean =>
  isPrice(traitType) || (isPriceName(traitType) && isAmount(text))

/** Formats a price such as `1234.5` as the user's language does: `1,234.50 EUR`. */
export function formatPrice({ traitType, text }: PriceTrait): string {
  return withCurrency(formatCents(text), traitType)
}

/** Formats the text of a trait, whether it is a price or not. */
export const formatTrait = (trait: PriceTrait): string =>
  isPrice(trait.traitType) ? formatPrice(trait) : formatText(trait.text)

/** Writes an amount of money with at least two decimals, if it has any. */
export const formatCents = (amount: string | number): string =>
  /^-?\d{1,15}$/.test(String(amount)) ? formatCount(Number(amount)) : formatDecimal(String(amount), 2)

/** Adds the currency that only the name of the trait has, such as `Price EUR`. */
function withCurrency(text: string, type: string): string {
  const [currency] = type.match(/\b(EUR|USD|GBP|CHF|JPY|PLN|SEK|NOK|DKK|CZK)\b|[€$£¥]/) ?? []
  return currency === undefined || /[\p{L}\p{Sc}]/u.test(text) ? text : `${text} ${currency}`
}
