/** Metadata, written a second time by the rules of its documentation. */
import { type MetadataOptions, type MetadataSource, rewriteLinks } from '../metadata.ts'

type Value = string | number | string[]

/** Characters of the names of traits that lists may repeat. */
const longestExpansion = 2 ** 18

function parse(data: string): Record<string, unknown> {
  try {
    const document = JSON.parse(data)
    return typeof document === 'object' && document !== null && !Array.isArray(document) ? document : {}
  } catch {
    return {}
  }
}

/** Writes metadata of a template, or of the bytes of a document alone. */
export function writeReference(
  { name, data }: MetadataSource,
  { format, ipfsGateway }: MetadataOptions
): string {
  const rewrite = rewriteLinks(ipfsGateway)
  const document = parse(data)
  const textOf = (key: string) => (typeof document[key] === 'string' && document[key]) || undefined
  const linkOf = (key: string) => rewrite(textOf(key) ?? '')
  const texts = { name: textOf('name') ?? name, description: textOf('description'), image: linkOf('image') }
  const others = {
    external_url: linkOf('external_url'),
    animation_url: linkOf('animation_url'),
    image_data: textOf('image_data'),
    youtube_url: textOf('youtube_url'),
    background_color: textOf('background_color')
  }

  const toValue = (value: unknown): Value | undefined => {
    if (typeof value === 'string') return rewrite(value)
    if (typeof value === 'boolean') return String(value)
    if (typeof value === 'number') return Number.isFinite(value) ? value : undefined
    if (!Array.isArray(value) || value.some(text => typeof text !== 'string')) return undefined
    const links = value.map(rewrite).filter(text => text !== undefined)
    return links.length > 0 ? links : undefined
  }
  const traits = (Array.isArray(document.attributes) ? document.attributes : []).flatMap(entry => {
    const value = toValue(entry?.value)
    const type: unknown = entry?.trait_type ?? undefined
    if ((type !== undefined && typeof type !== 'string') || value === undefined) return []
    if (type === undefined && typeof entry.value !== 'string') return []
    const hasDisplay = ['number', 'date', 'boost_number', 'boost_percentage'].includes(entry.display_type)
    const display: string | undefined = hasDisplay ? entry.display_type : undefined
    const maximum: number | undefined = Number.isFinite(entry.max_value) ? entry.max_value : undefined
    return [{ type, value, display, maximum }]
  })
  if (format === 'erc1155') {
    const types = [...new Set(traits.flatMap(({ type }) => type ?? []))]
    const members = types.map((type): [string, Value] => {
      const values = traits.filter(trait => trait.type === type).map(({ value }) => value)
      return [type, values.length === 1 ? (values[0] as Value) : (values.flat() as string[])]
    })
    for (const [key, text] of Object.entries(others))
      if (text !== undefined && !types.includes(key)) members.push([key, text])
    // No object would keep the order of keys such as "7".
    const properties = members.map(([type, value]) => `${JSON.stringify(type)}:${JSON.stringify(value)}`)
    const { decimals: places, localization: local } = document as Record<
      string,
      ReturnType<typeof JSON.parse>
    >
    const decimals = Number.isSafeInteger(places) ? places : undefined
    const isLocal =
      typeof local?.uri === 'string' &&
      typeof local.default === 'string' &&
      Array.isArray(local.locales) &&
      local.locales.every((locale: unknown) => typeof locale === 'string')
    const localization = isLocal
      ? { uri: local.uri, default: local.default, locales: local.locales }
      : undefined
    return JSON.stringify({ ...texts, decimals, localization, properties: null }).replace(
      /null\}$/,
      () => `{${properties}}}`
    )
  }
  let left = longestExpansion
  const attributes = traits.flatMap(({ type: trait_type, value, display, maximum: max_value }): object[] => {
    if (typeof value === 'string') return [{ trait_type, display_type: display, value, max_value }]
    if (typeof value === 'number') {
      const usual = max_value === undefined ? 'number' : undefined
      return [{ trait_type, display_type: display ?? usual, value, max_value }]
    }
    const repeated = (trait_type ?? '').length * value.length
    if (repeated > left) return [{ trait_type, value: value.join(', ') }]
    left -= repeated
    return value.map(text => ({ trait_type, value: text }))
  })
  return JSON.stringify({ ...texts, ...others, attributes })
}
