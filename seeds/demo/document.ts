/** A trait and its value; without a value, the entry has no `value` key. */
type Trait = [type: string, value?: unknown]

interface Document {
  productId: string | number
  description: string
  external_url: string
  image: string
  name: string
  component: string
  attributes: Trait[]
}

/** Serializes a document. `indent` is that of JSON.stringify: real documents are compact or indented. */
export function text({ attributes, ...document }: Document, indent?: string | number): string {
  const entries = attributes.map(([trait_type, ...value]) =>
    value.length === 0 ? { trait_type } : { trait_type, value: value[0] }
  )
  return JSON.stringify({ ...document, attributes: entries }, null, indent)
}

/** Makes an IPFS URL; without a content id it ends in the slash. */
export const ipfs = (contentId = ''): string => `https://ipfs.example.com/ipfs/${contentId}`
