import { formatCount, humanName } from '../format.ts'
import { mayHavePicture } from '../picture/use-picture.ts'
import { formatPrice, mayBePrice } from '../price.ts'
import type { FullTemplate, Trait } from './read.ts'
import { isUrl } from './trait-value.tsx'

export type ProductFacts = ReturnType<typeof readProduct>

const photos = Array.from({ length: 6 }, (_, at) => `IPFSproductPhoto${at + 1}`)

/** Reads the facts for buyers from the traits. A missing fact is empty. */
export function readProduct({ name, document, maxItems }: FullTemplate) {
  const traits = (document?.attributes ?? []).filter(({ text }) => text.trim() !== '')
  const find = (type: string): Trait | undefined => traits.find(({ traitType }) => traitType === type)
  const textOf = (type: string) => find(type)?.text ?? ''
  const madeIn = textOf('MadeIn')
  const features = find('FeaturesArray')?.value
  const prices = traits.filter(mayBePrice)
  const units = textOf('UnitsProduced')
  return {
    title: textOf('ProductName') || document?.name || name,
    kind: [textOf('ProductType'), madeIn && `made in ${madeIn}`].filter(Boolean).join(', '),
    features: Array.isArray(features) ? features.map(String).filter(Boolean) : [],
    facts: [
      ...prices.map((trait): [string, string] => [humanName(trait.traitType), formatPrice(trait)]),
      ['Edition', maxItems === 1 ? 'one of one' : `up to ${formatCount(maxItems)}`],
      ...(units === '' ? [] : [['Units produced', formatNumber(units)] as [string, string]])
    ],
    warning: textOf('Warning'),
    notes: [textOf('AuthenticMessage'), describeCharity(textOf)].filter(Boolean),
    links: [
      ['Product page', textOf('ProductUrl')],
      ['Website', document?.externalUrl ?? ''],
      ['Video', textOf('Video')],
      ['Music', textOf('Music')],
      ['Recycling manual', textOf('RecyclingManual')]
    ].filter((link): link is [string, string] => isUrl(String(link[1]))),
    photos: ['IPFSBrandLogo', ...photos].map(textOf).filter(mayHavePicture)
  }
}

const formatNumber = (text: string): string => (/^\d{1,15}$/.test(text) ? formatCount(Number(text)) : text)

function describeCharity(textOf: (type: string) => string): string {
  const [amount, recipient] = [textOf('CharityDonationAmount'), textOf('CharityDonationRecipient')]
  const gift = amount !== '' && recipient !== '' ? `${amount} to ${recipient}` : amount || recipient
  return [gift && `Donation: ${gift}.`, textOf('CharityMessage')].filter(Boolean).join(' ')
}
