import { promisify } from 'node:util'
import { brotliCompress, constants, gzip, zstdCompress } from 'node:zlib'
import { parseWeighted, rememberMeanings } from './weights.ts'

/** Content codings, the best first: of those that a client prefers equally, it gets the first one. */
export const contentCodings = ['zstd', 'br', 'gzip'] as const
export type ContentCoding = (typeof contentCodings)[number]

/** Returns the coding that Accept-Encoding prefers, RFC 9110 §12.5.3; undefined for none. */
export const acceptedCoding = rememberMeanings((header: string): ContentCoding | undefined => {
  const members = parseWeighted(header)
  const find = (name: string) => members.find(member => member.name === name)?.weight
  const weights = contentCodings.map(coding => find(coding) ?? find('*') ?? 0)
  const most = Math.max(...weights)
  // Any coding is better than none, unless the client prefers none.
  if (most === 0 || most < (find('identity') ?? 0)) return undefined
  return contentCodings[weights.indexOf(most)]
})

const compressors = {
  zstd: (bytes: Buffer, chunkSize: number) =>
    promisify(zstdCompress)(bytes, { chunkSize, params: { [constants.ZSTD_c_compressionLevel]: 3 } }),
  br: (bytes: Buffer, chunkSize: number) =>
    promisify(brotliCompress)(bytes, {
      chunkSize,
      params: { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length }
    }),
  gzip: (bytes: Buffer, chunkSize: number) => promisify(gzip)(bytes, { chunkSize, level: 6 })
}

/** Compresses bytes outside the event loop. */
export const compress = (coding: ContentCoding, bytes: Buffer): Promise<Buffer> =>
  // Each chunk is a turn of the event loop.
  compressors[coding](bytes, Math.max(2 ** 14, bytes.length >> 2))
