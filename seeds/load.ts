import { defaultValues, type ProductTemplate } from '../domain/columns.ts'
import { formatTimestamp } from '../domain/timestamp.ts'

/** 2025-01-01T00:00:00Z in microseconds. */
const firstInstant = 1_735_689_600_000_000
const words = (
  'amber anchor basil birch brass cedar cinder clay clover copper coral cotton drift ember fern flint ' +
  'garnet ginger glass harbor hazel heather indigo iris ivory juniper kelp lavender linen maple marble ' +
  'meadow mint moss oak olive onyx opal pearl pebble pine quartz raven reed rowan saffron sage silk ' +
  'slate spruce tide timber topaz umber velvet walnut willow wool'
).split(' ')
const makers = ['Alder & Finch', 'Casa Brisa', 'Nordlys Works', 'Okapi Goods', 'Tamarind Lane', 'Verde Alto']
const countries = ['Portugal', 'Japan', 'Kenya', 'Peru', 'Norway', 'India']

/** Generates `count` templates of about 3 KB, the same ones every time. Every seventh identifier is skipped. */
export function* generateLoadTemplates(count: number): Generator<ProductTemplate> {
  for (let index = 0; index < count; index++) {
    const random = createRandom(index)
    // Spread over a year by a step coprime to it, so that no sort order follows the ids.
    const created = firstInstant + ((index * 736_878_701) % 31_536_000_000_000)
    const tracking = index % 10 === 9
    const name = `${title(pick(random, words))} ${title(pick(random, words))} ${index}`
    const component = tracking ? 'TrackingRecord' : 'DefaultProduct'
    yield {
      // For columns that this file does not know.
      ...defaultValues,
      id: index + Math.floor(index / 6),
      blockchainId: 1 + Math.floor(random() * 4),
      maxItems: 1 + Math.floor(random() * 10_000),
      name,
      publicProduct: random() < 0.7,
      componentName: component,
      timeCreated: formatTimestamp(created),
      timeModified: formatTimestamp(created + Math.floor(random() * 1_000_000_000_000)),
      data: JSON.stringify(document(random, index, name, component))
    }
  }
}

function document(random: () => number, index: number, name: string, component: string) {
  const tracking = component === 'TrackingRecord'
  return {
    productId: index % 3 === 0 ? index : index % 3 === 1 ? String(index) : '',
    // A tracking record has only two traits; a longer text makes up for the size.
    description: `${sentence(random, tracking ? 390 : 220)}\n${sentence(random, tracking ? 60 : 30)}`,
    external_url: index % 5 === 0 ? '' : `https://shop.example.com/items/${index}`,
    image: ipfs(random),
    name,
    component,
    attributes: tracking
      ? [trait('ProductType', 'Shipment'), trait('UnitsProduced', index)]
      : productTraits(random, index)
  }
}

function productTraits(random: () => number, index: number) {
  const traits = [
    trait('ProductType', title(pick(random, words))),
    trait('MadeIn', pick(random, countries)),
    trait('ProductName', pick(random, makers)),
    trait('ProductUrl', `https://shop.example.com/p/${index}`),
    trait('Video', `https://video.example.com/${index}`),
    trait('RecyclingManual', `https://recycling.example.com/${index}`),
    trait('Warning', sentence(random, 10)),
    trait('FeaturesArray', index % 4 === 0 ? [] : [pick(random, words), pick(random, words)]),
    trait('SecretMessage', sentence(random, 12)),
    trait('CharityMessage', sentence(random, 12)),
    trait('AuthenticMessage', sentence(random, 12)),
    trait('IPFSBrandLogo', ipfs(random)),
    trait('IPFSproductPhoto1', ipfs(random)),
    trait('UnitsProduced', index % 2 === 0 ? index : String(index)),
    trait('EmailOptional', index % 3 === 0)
  ]
  const turn = index % traits.length
  return [...traits.slice(turn), ...traits.slice(0, turn)]
}

const trait = (trait_type: string, value: unknown) => ({ trait_type, value })
const title = (word: string) => word.charAt(0).toUpperCase() + word.slice(1)
const pick = <T>(random: () => number, list: T[]): T => list[Math.floor(random() * list.length)] as T
const ipfs = (random: () => number) =>
  `https://ipfs.example.com/ipfs/bafy${Array.from({ length: 12 }, () => pick(random, words))
    .join('')
    .slice(0, 55)}`
const sentence = (random: () => number, length: number) =>
  `${title(Array.from({ length }, () => pick(random, words)).join(' '))}.`

/** Creates a generator of numbers from 0 to 1 (exclusive) for a seed: mulberry32. */
export function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
