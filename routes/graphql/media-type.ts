/** Media types of responses. GraphQL over HTTP, "Media Types". */
export type MediaType = 'application/graphql-response+json' | 'application/json'

/** Returns the media type that Accept prefers, RFC 9110 §12.5.1; undefined if it allows neither. */
export function acceptedMediaType(accept: string | undefined): MediaType | undefined {
  if (accept === undefined || accept.trim() === '') return 'application/json'
  const ranges = accept.split(',').flatMap(parseMediaRange)
  const newer = findWeight('application/graphql-response+json', ranges)
  const older = findWeight('application/json', ranges)
  if (newer.weight === 0 && older.weight === 0) return undefined
  // A client that does not name the newer type may not know it.
  const preferNewer = newer.weight === older.weight ? newer.named : newer.weight > older.weight
  return preferNewer ? 'application/graphql-response+json' : 'application/json'
}

export const contentType = (type: MediaType): string => `${type}; charset=utf-8`

interface MediaRange {
  range: string
  weight: number
}

/** Finds the weight of a type: that of the most specific range that includes it. */
function findWeight(type: MediaType, ranges: MediaRange[]): { weight: number; named: boolean } {
  for (const precision of [type, 'application/*', '*/*']) {
    const found = ranges.filter(({ range }) => range === precision)
    if (found.length > 0)
      return { weight: Math.max(...found.map(({ weight }) => weight)), named: precision === type }
  }
  return { weight: 0, named: false }
}

/** Parses a media range and its weight; empty if it is malformed. */
function parseMediaRange(text: string): MediaRange[] {
  const [range = '', ...parameters] = text.split(';').map(part => part.trim().toLowerCase())
  const weight = parameters.find(parameter => parameter.startsWith('q='))?.slice(2) ?? '1'
  return /^(0(\.\d{0,3})?|1(\.0{0,3})?)$/.test(weight) ? [{ range, weight: Number(weight) }] : []
}
