/** What the endpoint answers in. GraphQL over HTTP, "Media Types". */
export type MediaType = 'application/graphql-response+json' | 'application/json'

/** The best of what Accept allows, RFC 9110 §12.5.1; undefined when that is nothing of ours. */
export function acceptedMediaType(accept: string | undefined): MediaType | undefined {
  if (accept === undefined || accept.trim() === '') return 'application/json'
  const ranges = accept.split(',').flatMap(mediaRange)
  const newer = best('application/graphql-response+json', ranges)
  const older = best('application/json', ranges)
  if (newer.weight === 0 && older.weight === 0) return undefined
  // A client that does not name the newer one may not know it.
  const preferNewer = newer.weight === older.weight ? newer.named : newer.weight > older.weight
  return preferNewer ? 'application/graphql-response+json' : 'application/json'
}

export const contentType = (type: MediaType): string => `${type}; charset=utf-8`

interface MediaRange {
  range: string
  weight: number
}

/** The most precise range that has the type says its weight. */
function best(type: MediaType, ranges: MediaRange[]): { weight: number; named: boolean } {
  for (const precision of [type, 'application/*', '*/*']) {
    const found = ranges.filter(({ range }) => range === precision)
    if (found.length > 0)
      return { weight: Math.max(...found.map(({ weight }) => weight)), named: precision === type }
  }
  return { weight: 0, named: false }
}

/** A range and its weight; nothing where it is malformed. */
function mediaRange(text: string): MediaRange[] {
  const [range = '', ...parameters] = text.split(';').map(part => part.trim().toLowerCase())
  const weight = parameters.find(parameter => parameter.startsWith('q='))?.slice(2) ?? '1'
  return /^(0(\.\d{0,3})?|1(\.0{0,3})?)$/.test(weight) ? [{ range, weight: Number(weight) }] : []
}
