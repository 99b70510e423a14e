import { promisify } from 'node:util'
// An old Node.js lacks zstdCompress; as a named import, that would end the process before node-version.ts says so.
import zlib, { brotliCompress, constants, gzip } from 'node:zlib'

/** A member of a header such as Accept, and its weight: 0 refuses it. RFC 9110 §12.4.2. */
interface Weighted {
  /** Lower case. */
  name: string
  weight: number
}

/** Parses a header of weighted members; ignores malformed ones. */
const parseWeighted = (header: string): Weighted[] => header.split(',').flatMap(parseMember)

function parseMember(text: string): Weighted[] {
  const [name = '', ...parameters] = text.split(';').map(part => part.trim().toLowerCase())
  const weight = parameters.find(parameter => parameter.startsWith('q='))?.slice(2) ?? '1'
  return /^(0(\.\d{0,3})?|1(\.0{0,3})?)$/.test(weight) ? [{ name, weight: Number(weight) }] : []
}

/** Media types of responses. GraphQL over HTTP, "Media Types". */
export type MediaType = 'application/graphql-response+json' | 'application/json' | 'text/event-stream'

/** Returns the type of JSON that Accept prefers, RFC 9110 §12.5.1; undefined if it allows neither. */
export function chooseMediaType(accept = ''): MediaType | undefined {
  if (accept.trim() === '') return 'application/json'
  const ranges = parseWeighted(accept)
  const newer = findWeight('application/graphql-response+json', ranges)
  const older = findWeight('application/json', ranges)
  if (newer.weight === 0 && older.weight === 0) return undefined
  // A client that does not name the newer type may not know it.
  const preferNewer = newer.weight === older.weight ? newer.named : newer.weight > older.weight
  return preferNewer ? 'application/graphql-response+json' : 'application/json'
}

/**
 * Chooses between JSON and events for an answer. Returns JSON, or events if Accept allows only events; undefined if
 * Accept allows neither.
 */
export function chooseMessageType(accept = ''): 'application/json' | 'text/event-stream' | undefined {
  const ranges = parseWeighted(accept.trim() || '*/*')
  const types = ['application/json', 'text/event-stream'] as const
  return types.find(type => findWeight(type, ranges).weight > 0)
}

/** Whether Accept names the media type of Server-Sent Events. A wildcard does not ask for an endless response. */
export const acceptsEvents = (accept = ''): boolean =>
  parseWeighted(accept).some(({ name, weight }) => name === 'text/event-stream' && weight > 0)

export const addCharset = (type: MediaType): string => `${type}; charset=utf-8`

/** Finds the weight of a type: that of the most specific range that includes it. */
function findWeight(type: MediaType, ranges: Weighted[]): { weight: number; named: boolean } {
  for (const precision of [type, type.replace(/\/.*/, '/*'), '*/*']) {
    const found = ranges.filter(({ name }) => name === precision)
    if (found.length > 0)
      return { weight: Math.max(...found.map(({ weight }) => weight)), named: precision === type }
  }
  return { weight: 0, named: false }
}

/** Content codings, the best first. */
export const contentCodings = ['zstd', 'br', 'gzip'] as const
export type ContentCoding = (typeof contentCodings)[number]

/** Returns the first of the codings that Accept-Encoding prefers most, RFC 9110 §12.5.3; undefined for none. */
export function chooseCoding<Coding extends ContentCoding>(
  header: string,
  codings: readonly Coding[]
): Coding | undefined {
  const members = parseWeighted(header)
  const find = (name: string) => members.find(member => member.name === name)?.weight
  const weights = codings.map(coding => find(coding) ?? find('*') ?? 0)
  const most = Math.max(...weights)
  // Any coding is better than none, unless the client prefers none.
  if (most === 0 || most < (find('identity') ?? 0)) return undefined
  return codings[weights.indexOf(most)]
}

const compressors = {
  zstd: (bytes: Buffer, chunkSize: number) =>
    promisify(zlib.zstdCompress)(bytes, { chunkSize, params: { [constants.ZSTD_c_compressionLevel]: 3 } }),
  br: (bytes: Buffer, chunkSize: number) =>
    promisify(brotliCompress)(bytes, {
      chunkSize,
      params: { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length }
    }),
  gzip: (bytes: Buffer, chunkSize: number) => promisify(gzip)(bytes, { chunkSize, level: 6 })
}

/** Compresses bytes outside the event loop. */
export const compress = (coding: ContentCoding, bytes: Buffer): Promise<Buffer> =>
  // Each chunk takes a turn of the event loop.
  compressors[coding](bytes, Math.max(2 ** 14, bytes.length >> 2))
