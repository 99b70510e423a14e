import { parseWeighted, rememberMeanings, type Weighted } from '../responses/weights.ts'

/** Media types of responses. GraphQL over HTTP, "Media Types". */
export type MediaType = 'application/graphql-response+json' | 'application/json'

/** Returns the media type that Accept prefers, RFC 9110 §12.5.1; undefined if it allows neither. */
export const acceptedMediaType = (accept: string | undefined): MediaType | undefined =>
  accept === undefined ? 'application/json' : prefer(accept)

const prefer = rememberMeanings((accept: string): MediaType | undefined => {
  if (accept.trim() === '') return 'application/json'
  const ranges = parseWeighted(accept)
  const newer = findWeight('application/graphql-response+json', ranges)
  const older = findWeight('application/json', ranges)
  if (newer.weight === 0 && older.weight === 0) return undefined
  // A client that does not name the newer type may not know it.
  const preferNewer = newer.weight === older.weight ? newer.named : newer.weight > older.weight
  return preferNewer ? 'application/graphql-response+json' : 'application/json'
})

export const contentType = (type: MediaType): string => `${type}; charset=utf-8`

/** Finds the weight of a type: that of the most specific range that includes it. */
function findWeight(type: MediaType, ranges: Weighted[]): { weight: number; named: boolean } {
  for (const precision of [type, 'application/*', '*/*']) {
    const found = ranges.filter(({ name }) => name === precision)
    if (found.length > 0)
      return { weight: Math.max(...found.map(({ weight }) => weight)), named: precision === type }
  }
  return { weight: 0, named: false }
}
