import { ResponseError } from './errors.ts'
import { type Connection, exchange, readJson } from './http.ts'
import { type RequestOptions, withToken } from './operations.ts'
import { withRetry } from './retry.ts'
import type { TokenSource } from './tokens.ts'

/** An uploaded picture. */
export interface UploadedPicture {
  /** The SHA-256 of its bytes as hex. */
  hash: string
  /** Its IPFS content id. */
  cid: string
  type: string
  /** The link for `image` of a document. */
  link: string
}

/** Reads the thumbnail of a link; undefined if the service has none. */
export function readPicture(
  connection: Connection,
  tokens: TokenSource,
  link: string,
  { signal }: Pick<RequestOptions, 'signal'> = {}
): Promise<Blob | undefined> {
  const path = `/media?link=${encodeURIComponent(link)}`
  const attempt = async (signal: AbortSignal) => {
    const reply = await withToken(tokens, signal, token => {
      // The redirect stays on the service.
      const init: RequestInit = { redirect: 'follow', headers: { authorization: `Bearer ${token}` } }
      return exchange(connection, path, init, signal, response => response.blob())
    })
    if (reply.status === 200) return reply.body
    if (reply.status === 204) return undefined
    throw new ResponseError(`/media responded ${reply.status}`, reply)
  }
  return withRetry(attempt, { ...connection, signal })
}

/** Uploads a picture: PNG, JPEG, GIF, WebP or AVIF. Uploading it again has no effect. */
export function storePicture(
  connection: Connection,
  tokens: TokenSource,
  picture: Blob,
  { signal }: Pick<RequestOptions, 'signal'> = {}
): Promise<UploadedPicture> {
  const attempt = async (signal: AbortSignal) => {
    const reply = await withToken(tokens, signal, token => {
      const headers = { 'content-type': picture.type || 'image/*', authorization: `Bearer ${token}` }
      return exchange(connection, '/media', { method: 'POST', headers, body: picture }, signal, readJson)
    })
    if (reply.status === 201) return reply.body
    throw new ResponseError(reply.body?.message ?? `/media responded ${reply.status}`, reply)
  }
  return withRetry(attempt, { ...connection, signal })
}
