import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http'
import { type BlockList, isIP } from 'node:net'
import { makeGuardedLookup, mayConnect } from './networks.ts'

interface OutgoingRequest {
  method?: 'GET' | 'POST'
  headers: OutgoingHttpHeaders
  body?: string
  /** Networks that are allowed, although they are not public. */
  allowed: BlockList
  /** Aborts the request and the response. */
  signal: AbortSignal
}

/**
 * Sends a request to a public or allowed address, and returns the response, whatever its status. The caller must read
 * the body or destroy the response.
 */
export function sendRequest(
  url: URL,
  { body, allowed, ...given }: OutgoingRequest
): Promise<IncomingMessage> {
  const host = url.hostname.replace(/^\[|\]$/g, '')
  // Not an `import`, which would also load `fetch`: see cli/serve/node-http.ts.
  const { request } = process.getBuiltinModule(url.protocol === 'https:' ? 'node:https' : 'node:http')
  return new Promise((resolve, reject) => {
    // An address needs no lookup, so it is checked here.
    if (isIP(host) && !mayConnect(host, allowed)) throw new Error('the address is not public')
    request(url, { ...given, lookup: makeGuardedLookup(allowed), agent: false }, resolve)
      .on('error', reject)
      // After an unexpected status 101, there is neither a response nor an error.
      .on('close', () => reject(new Error('the other side does not answer in HTTP')))
      .end(body)
  })
}

/** Reads a whole body. Rejects with the error that `refuse` makes if it has more than `maxSize` bytes. */
export async function readAll(
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  maxSize: number,
  refuse = () => new Error(`the source has more than ${maxSize} bytes`)
): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    if (size > maxSize) throw refuse()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
