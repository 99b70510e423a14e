import { LRUCache } from 'lru-cache'

/** A member of a header such as Accept, and its weight: 0 refuses it. RFC 9110 §12.4.2. */
export interface Weighted {
  /** Lower case. */
  name: string
  weight: number
}

/** Parses a header of weighted members; ignores malformed ones. */
export const parseWeighted = (header: string): Weighted[] => header.split(',').flatMap(parseMember)

function parseMember(text: string): Weighted[] {
  const [name = '', ...parameters] = text.split(';').map(part => part.trim().toLowerCase())
  const weight = parameters.find(parameter => parameter.startsWith('q='))?.slice(2) ?? '1'
  return /^(0(\.\d{0,3})?|1(\.0{0,3})?)$/.test(weight) ? [{ name, weight: Number(weight) }] : []
}

/** Different headers whose meaning is remembered. Clients send few. */
const maxRemembered = 200

/** Remembers what headers mean. */
export function rememberMeanings<Meaning>(parse: (header: string) => Meaning): (header: string) => Meaning {
  const known = new LRUCache<string, { meaning: Meaning }>({ max: maxRemembered })
  return header => {
    const found = known.get(header)
    if (found) return found.meaning
    const meaning = parse(header)
    known.set(header, { meaning })
    return meaning
  }
}
