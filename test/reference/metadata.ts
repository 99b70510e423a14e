/** Metadata, written a second time by the rules of its documentation. */
import { rewriteLinks } from '../../db/templates/metadata/ipfs.ts'
import type { MetadataOptions, MetadataSource } from '../../db/templates/metadata/write.ts'

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
  const external_url = linkOf('external_url')

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
    return typeof entry?.trait_type === 'string' && value !== undefined
      ? [{ type: entry.trait_type, value }]
      : []
  })
  if (format === 'erc1155') {
    const types = [...new Set(traits.map(({ type }) => type))]
    const members = types.map((type): [string, Value] => {
      const values = traits.filter(trait => trait.type === type).map(({ value }) => value)
      return [type, values.length === 1 ? (values[0] as Value) : (values.flat() as string[])]
    })
    if (external_url !== undefined && !types.includes('external_url'))
      members.push(['external_url', external_url])
    // No object would keep the order of keys such as "7".
    const properties = members.map(([type, value]) => `${JSON.stringify(type)}:${JSON.stringify(value)}`)
    return JSON.stringify({ ...texts, properties: null }).replace(/null\}$/, () => `{${properties}}}`)
  }
  let left = longestExpansion
  const attributes = traits.flatMap(({ type: trait_type, value }): object[] => {
    if (typeof value === 'number') return [{ trait_type, display_type: 'number', value }]
    if (typeof value === 'string') return [{ trait_type, value }]
    if (trait_type.length * value.length > left) return [{ trait_type, value: value.join(', ') }]
    left -= trait_type.length * value.length
    return value.map(text => ({ trait_type, value: text }))
  })
  return JSON.stringify({ ...texts, external_url, attributes })
}
