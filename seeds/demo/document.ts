/** A trait and its value; a trait alone has no `value` key. */
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

/** The text of a document. `indent` is what JSON.stringify takes: real documents come compact and spread out. */
export function text({ attributes, ...document }: Document, indent?: string | number): string {
  const entries = attributes.map(([trait_type, ...value]) =>
    value.length === 0 ? { trait_type } : { trait_type, value: value[0] }
  )
  return JSON.stringify({ ...document, attributes: entries }, null, indent)
}

/** An IPFS address; without a content id it ends in the slash. */
export const ipfs = (contentId = ''): string => `https://ipfs.example.com/ipfs/${contentId}`
